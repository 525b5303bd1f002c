/** Code as configuration: run where it is the person's own or was named, never because it is in the working folder. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { type OccRun, runOcc, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

let folder: string;
let home: string;
let repository: string;
let marker: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-code-'));
  home = join(folder, 'home');
  repository = join(home, 'work/repository');
  marker = join(folder, 'ran');
  mkdirSync(repository, { recursive: true });
  vi.stubEnv('HOME', home);
  vi.stubEnv('MARKER', marker);
  writeSession(join(home, '.openclaw'), 'main', 'usual', createSessionWithTurns(2));
  writeSession(join(home, 'other'), 'main', 'configured', createSessionWithTurns(2));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Leave a marker where they are run, and name another state folder. */
const PLANTED = `process.getBuiltinModule('node:fs').writeFileSync(process.env.MARKER, 'x');`;
const MODULE = `${PLANTED}\nexport default { stateDirectory: '~/other' };`;
const COMMON = `${PLANTED}\nmodule.exports = { stateDirectory: '~/other' };`;

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const occ = (args: string[], cwd = repository, env: Record<string, string> = {}): Promise<OccRun> =>
  runOcc(args, { cwd, env: { HOME: home, MARKER: marker, ...env } });
/** In this process: where nothing is to be run. */
const occHere = (args: string[]): Promise<OccRun> =>
  runOccHere(args, { cwd: repository, env: { HOME: home, MARKER: marker } });
const ran = () => existsSync(marker);
const listIds = (run: OccRun) =>
  (JSON.parse(run.stdout) as { sessionId: string }[]).map(({ sessionId }) => sessionId);

describe('in the working folder', () => {
  it.each(
    sample(
      [
        ['occ.config.js', MODULE],
        ['occ.config.ts', MODULE],
        ['occ.config.mjs', MODULE],
        ['occ.config.cjs', COMMON],
        ['occ.config.mts', MODULE],
        ['occ.config.cts', COMMON],
        ['.config/occ.js', COMMON],
        ['.config/occ.ts', MODULE],
        ['.config/occ.config.mjs', MODULE],
      ],
      { gate: 3 },
    ),
  )('%s is not run, and a note says so', HUNT, async (path, text) => {
    write(join(repository, path), text);
    const { code, stdout, stderr } = await occHere(['list']);
    expect(ran()).toBe(false);
    expect([code, stderr]).toEqual([
      0,
      `Note: ${path} in this folder is code, so it was not run. If you trust it, use: occ --config ${path} …\n`,
    ]);
    expect(stdout).toContain('usual');
    expect(stdout).not.toContain('configured');
  });

  it.each([
    ['occ.config', MODULE],
    ['.config/occ', COMMON],
    ['.config/occ.config', COMMON],
    ['occ.config/index.js', COMMON],
    ['.config/occ/index.js', COMMON],
    ['occ.config.json.js', COMMON],
    ['.occrc.js', COMMON],
  ])('%s is not even looked at', async (path, text) => {
    write(join(repository, path), text);
    expect(await occHere(['list'])).toMatchObject({ code: 0, stderr: '' });
    expect(ran()).toBe(false);
  });

  it('neither are variables of a file, by the process that starts', async () => {
    write(join(repository, '.env'), 'NODE_OPTIONS=--require=./occ.js');
    write(join(repository, 'occ.js'), COMMON);
    write(join(repository, 'occ.config.js'), MODULE);
    const { code, stderr } = await occ(['list']);
    expect([code, stderr, ran()]).toEqual([0, expect.stringContaining('occ.config.js'), false]);
  });

  it('programs that read JSON get no remark', async () => {
    write(join(repository, 'occ.config.ts'), MODULE);
    const run = await occHere(['list', '--json']);
    expect([run.stderr, listIds(run), ran()]).toEqual(['', ['usual'], false]);
  });

  it('data beside it counts', async () => {
    write(join(repository, 'occ.config.ts'), MODULE);
    write(join(repository, 'occ.config.json'), '{"stateDirectory":"~/other"}');
    expect([listIds(await occHere(['list', '--json'])), ran()]).toEqual([['configured'], false]);
  });

  it.each(['./layer.ts', '../layer', 'gh:someone/layer', 'npm:layer', 'https://example.org/layer.tar.gz'])(
    'data that extends %s is refused, and nothing is run or fetched',
    async (layer) => {
      write(join(repository, 'layer.ts'), MODULE);
      write(join(repository, '../layer/occ.config.ts'), MODULE);
      write(join(repository, 'occ.config.json'), JSON.stringify({ extends: layer }));
      const { code, stderr } = await occHere(['list']);
      expect([code, ran()]).toEqual([1, false]);
      expect(stderr).toContain('Error: occ.config.json: extends is not a setting\n');
    },
  );

  it.each([
    ['occ.config.yaml', 'stateDirectory: !!js/function "function () { process.exit(7) }"'],
    ['occ.config.json5', '{ stateDirectory: process.exit(7) }'],
    ['.occrc', 'extends=./layer.ts'],
    ['package.json', '{"occ":{"extends":"./layer.ts"}}'],
  ])('%s has no way to run anything', async (path, text) => {
    write(join(repository, 'layer.ts'), MODULE);
    write(join(repository, path), text);
    expect([(await occHere(['list'])).code, ran()]).toEqual([1, false]);
  });

  it.each(sample([['.'], [''], ['.config']], { gate: 1 }))(
    'a home folder that is relative (%j) leads nowhere',
    HUNT,
    async (relative) => {
      write(join(repository, 'occ.config.ts'), MODULE);
      write(join(repository, '.config/occ.config.ts'), MODULE);
      await occ(['list'], repository, { XDG_CONFIG_HOME: relative });
      await occ(['list'], repository, { HOME: relative });
      expect(ran()).toBe(false);
    },
  );

  it('neither are those above it', async () => {
    write(join(home, 'work/occ.config.ts'), MODULE);
    write(join(home, 'work/.config/occ.ts'), MODULE);
    expect([listIds(await occHere(['list', '--json'])), ran()]).toEqual([['usual'], false]);
  });
});

describe('in the home folder', () => {
  it.each(
    sample(
      [
        ['.config/occ.config.ts', MODULE],
        ['.config/occ.js', COMMON],
        ['occ.config.ts', MODULE],
        ['occ.config.mjs', MODULE],
        ['occ.config.cjs', COMMON],
      ],
      { gate: 2 },
    ),
  )('%s is run', HUNT, async (path, text) => {
    write(join(home, path), text);
    const run = await occ(['list', '--json']);
    expect([run.stderr, listIds(run), ran()]).toEqual(['', ['configured'], true]);
  });

  it('may be a function, and types are taken away', async () => {
    write(
      join(home, 'occ.config.ts'),
      'export default async (): Promise<object> => ({ outputFormat: "json" })',
    );
    expect(listIds(await occ(['list']))).toEqual(['usual']);
  });

  it('XDG_CONFIG_HOME is one', LONG, async () => {
    write(join(folder, 'xdg/occ.config.ts'), MODULE);
    expect(
      listIds(await occ(['list', '--json'], repository, { XDG_CONFIG_HOME: join(folder, 'xdg') })),
    ).toEqual(['configured']);
  });

  it('which is also the working folder it is run once, without a note', async () => {
    const count = join(folder, 'count');
    write(
      join(home, 'occ.config.ts'),
      `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(count)}, 'x'); export default {}`,
    );
    symlinkSync(home, join(folder, 'link'));
    for (const cwd of [home, join(folder, 'link')]) {
      rmSync(count, { force: true });
      expect(await occ(['list'], cwd)).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(count)).toBe(true);
    }
  });

  it('is beneath the data of the working folder', LONG, async () => {
    write(join(home, 'occ.config.ts'), MODULE);
    write(join(repository, '.occrc'), 'stateDirectory=~/.openclaw');
    expect(listIds(await occ(['list', '--json']))).toEqual(['usual']);
  });
});

describe('--config', () => {
  it.each(
    sample(
      [
        ['mine.ts', MODULE],
        ['sub/mine.cjs', COMMON],
        ['mine.json', '{"stateDirectory":"~/other"}'],
        ['mine.yaml', 'stateDirectory: ~/other'],
        ['mine.toml', 'stateDirectory = "~/other"'],
        ['minerc', 'stateDirectory=~/other'],
        ['package.json', '{"occ":{"stateDirectory":"~/other"}}'],
      ],
      { gate: 3 },
    ),
  )('names %s', HUNT, async (path, text) => {
    write(join(repository, path), text);
    const run = await occ(['list', '--json', '--config', path]);
    expect([run.stderr, listIds(run)]).toEqual(['', ['configured']]);
  });

  it('takes the place of all others', async () => {
    write(join(repository, 'occ.config.json'), '{"stateDirectory":"/nowhere"}');
    write(join(repository, 'occ.config.ts'), MODULE);
    write(join(home, '.occrc'), 'outputFormat=xml');
    write(join(repository, 'mine.json'), '{}');
    const run = await occ(['list', '--config', 'mine.json']);
    expect([run.code, run.stderr, ran()]).toEqual([0, '', false]);
    expect(run.stdout).toContain('usual');
  });

  it('is part of the commands that a report suggests', async () => {
    write(join(repository, 'mine.json'), '{"stateDirectory":"~/other"}');
    const { stdout } = await occ(['info', '--config', 'mine.json']);
    expect(stdout).not.toBe('');
    for (const line of stdout.match(/occ (edit|clone|restore) .*/g) ?? []) {
      expect(line).toContain('--config mine.json');
    }
  });

  it.each(
    sample(
      [
        ['none.json', undefined, /^Error: none\.json: there is no such file\n/],
        ['mine.mjs', 'throw new TypeError("my fault")', /^Error: mine\.mjs: my fault\n/],
        ['mine.ts', 'export default ({', /^Error: mine\.ts: \S/],
        ['mine.ts', 'export default 5', /^Error: mine\.ts must be an object\n/],
        ['mine.js', 'export const stateDirectory = "x"', /^Error: mine\.js must be an object\n/],
      ],
      { gate: 3 },
    ),
  )('%s with %j is an error', HUNT, async (path, text, message) => {
    if (text !== undefined) write(join(repository, path), text);
    const { code, stderr } = await occ(['list', '--config', path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
