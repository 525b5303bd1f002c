/** The command in a process of its own: where its output goes, and what it loads for that. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { COMMAND } from '../setup/command-file.ts';
import { writeSession } from '../setup/own-session.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
  writeSession(home, home.folder, '00000000-0000-4000-8000-000000000001', 'teach the parser');
});

/** `"$@"` in the script is the command. */
function shell(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', script, 'sh', process.execPath, ...COMMAND, ...args],
    {
      cwd: home.folder,
      env: home.env as NodeJS.ProcessEnv,
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

test('a list whose reader is gone is no failure, and nothing is said', () => {
  const { stderr } = shell('{ "$@"; echo "exit $?" >&2; } | true', 'cc', 'list');
  expect(stderr).toBe('exit 0\n');
});

test.skipIf(process.platform !== 'linux')('output that cannot be written is a failure', () => {
  const { status, stderr } = shell('"$@" > /dev/full', 'cc', 'list');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Error: The output could not be written: .*\n {2}Check its destination/);
  expect(JSON.parse(shell('"$@" > /dev/full', 'cc', 'list', '--json').stderr)).toMatchObject({
    success: false,
  });
});

test('errors that cannot be printed change nothing', () => {
  expect(shell('"$@" 2>&-', 'cc', 'frobnicate')).toMatchObject({ status: 2, stdout: '' });
});

test('what is not shown on a terminal is not cut: ids are whole, and there is no colour', () => {
  const { status, stdout } = shell('"$@"', 'cc', 'list');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^00000000-0000-4000-8000-000000000001 .* teach the parser$/m);
  expect(stdout).not.toContain('\u001b');
});

test('a working folder that was deleted is named as such', () => {
  const gone = join(home.folder, 'gone');
  mkdirSync(gone);
  const { status, stderr } = shell(`cd ${gone} && rmdir ${gone} && "$@"`, 'cc', 'list');
  expect(status).toBe(2);
  expect(stderr).toBe('Error: The working folder no longer exists\n  Go to a folder that exists: cd ~\n');
  expect(() => rmdirSync(gone)).toThrow();
});

/** What a process of the command as it is built loads, by the names of the files. */
function listLoaded(args: readonly string[]): string[] {
  const fault = inject('openbotBundleFault');
  if (fault !== null) throw new Error(`The bundle of openbot could not be made. ${fault}`);
  const hook = `import { registerHooks, syncBuiltinESMExports } from 'node:module';
    import { pathToFileURL } from 'node:url';
    import vm from 'node:vm';
    const loaded = [];
    vm.Script = class extends vm.Script {
      constructor(code, options) { super(code, options); loaded.push(pathToFileURL(options.filename).href); }
    };
    syncBuiltinESMExports();
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    process.on('exit', () => process.stderr.write(loaded.filter((url) => url.startsWith('file:')).join(' ')));`;
  const preload = `data:text/javascript,${encodeURIComponent(hook)}`;
  const ran = spawnSync(process.execPath, [`--import=${preload}`, COMMAND.at(-1)!, ...args], {
    cwd: home.folder,
    env: home.env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringMatching(/^file:\S+bin\/openbot\.js/)]);
  return ran.stderr.split(' ').map((url) => url.replace(/^.*\/packages\/openbot\//, ''));
}

const START = ['bin/openbot.js', 'dist/bin/openbot.js', 'dist/bin/start.cjs'];

test.each([
  [['--help'], []],
  [['--version'], []],
  [['cc', 'run', '--help'], []],
  [['cc', 'list'], ['dist/bin/cc-list.cjs']],
  [['cc', 'status'], ['dist/bin/cc-select-status.cjs']],
  [['cc', 'select', 'x', '--words'], ['dist/bin/cc-select-status.cjs']],
])('%j loads the start and the command, and nothing more', (args, more) => {
  expect(listLoaded(args)).toEqual([...START, ...more]);
});

const RUNS_AND_SERVES = [
  'conversation',
  'ledger',
  'mcp-server',
  'mcp-tools',
  'openclaw-db',
  'processes',
  'queue',
  'run',
];

test.each([
  ['cc-list', ['project-status', 'select', ...RUNS_AND_SERVES]],
  ['cc-select-status', RUNS_AND_SERVES],
])('the bundle %s holds nothing of %j', (name, rooms) => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'dist', 'bin', `${name}.cjs`), 'utf8');
  const held = new Set(
    [...text.matchAll(/^\/\/ packages\/[^/]+\/src\/([^/]+)\//gm)].map(([, room]) => room!),
  );
  expect(held).toContain('discover');
  expect(rooms.filter((room) => held.has(room))).toEqual([]);
});
