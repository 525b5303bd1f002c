/** bin/openbot.js alone, with a bundle that says so when it is loaded. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

const BUNDLE = `export async function start() { process.stdout.write('started'); }`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'openbot-launcher-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function launch(bundle: string | undefined, args: readonly string[], pretendedVersion?: string) {
  for (const sub of ['bin', 'dist/bin']) mkdirSync(join(folder, sub), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  if (bundle !== undefined) writeFileSync(join(folder, 'dist', 'bin', 'openbot.js'), bundle);
  const launcher = join(folder, 'bin', 'openbot.js');
  copyFileSync(join(import.meta.dirname, '..', '..', 'bin', 'openbot.js'), launcher);
  const pretend = join(folder, 'pretend.cjs');
  const version = `Object.defineProperty(process.versions, 'node', { value: '${pretendedVersion}' });`;
  writeFileSync(pretend, pretendedVersion === undefined ? '' : version);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', pretend, launcher, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each(['18.0.0', '20.20.2', '22.18.9'])(
  'Node %s gets the error that it is too old, also as JSON',
  (version) => {
    const plain = launch(BUNDLE, ['cc', 'list'], version);
    expect([plain.status, plain.stdout]).toEqual([1, '']);
    expect(plain.stderr).toMatch(/^Error: openbot needs Node 22\.19 or newer; this is Node .*\n {2}Install/);
    const json = launch(BUNDLE, ['cc', 'list', '--json'], version);
    expect([json.status, json.stdout]).toEqual([1, '']);
    expect(JSON.parse(json.stderr)).toEqual({
      success: false,
      error: {
        code: 'NODE_TOO_OLD',
        message: expect.stringContaining(`this is Node ${version}`),
        hint: expect.any(String),
      },
    });
  },
);

test.each(['22.19.0', '24.1.0', '100.0.0'])('Node %s is new enough', (version) => {
  expect(launch(BUNDLE, [], version)).toEqual({ status: 0, stdout: 'started', stderr: '' });
});

test('without its bundle it says what to do', () => {
  expect(launch(undefined, [])).toEqual({
    status: 1,
    stdout: '',
    stderr: "Error: openbot is not built here\n  Run 'npm run build' first\n",
  });
});

test.each([`import './missing.js';`, `import 'no-such-package';`, `throw new Error('missing.js')`])(
  'a bundle that is broken by %s is not taken for a missing one',
  (bundle) => {
    const { status, stderr } = launch(bundle, []);
    expect(status).toBe(1);
    expect(stderr).toMatch(/missing\.js|no-such-package/);
    expect(stderr).not.toContain('not built');
  },
);
