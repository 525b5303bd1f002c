import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-launcher-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The launcher alone, with a bundle that says so when it is loaded. */
function installLauncher(bundle: string | undefined): string {
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'dist', 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  if (bundle !== undefined) writeFileSync(join(folder, 'dist', 'bin', 'occ.js'), bundle);
  copyFileSync(OCC_LAUNCHER, join(folder, 'bin', 'occ.js'));
  return join(folder, 'bin', 'occ.js');
}

function runLauncher(launcher: string, pretendedVersion?: string) {
  const pretend = join(folder, 'pretend.cjs');
  writeFileSync(
    pretend,
    pretendedVersion === undefined
      ? ''
      : `Object.defineProperty(process.versions, 'node', { value: '${pretendedVersion}' });`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', pretend, launcher], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const BUNDLE = `export async function start() { process.stdout.write('started'); }`;

it.each(['16.20.2', '18.0.0', '20.20.2', '22.18.9', '22.9.0'])(
  'Node %s gets one clear sentence, and nothing is loaded',
  (version) => {
    const { status, stdout, stderr } = runLauncher(installLauncher(BUNDLE), version);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Error: occ needs Node 22.19 or newer; this is Node ${version} (${process.execPath})\n`,
    );
  },
);

it.each(['22.19.0', '23.0.0', '24.1.0', '100.0.0'])('Node %s is new enough', (version) => {
  expect(runLauncher(installLauncher(BUNDLE), version)).toMatchObject({ status: 0, stdout: 'started' });
});

it('is read by Nodes that know only older syntax', () => {
  const text = readFileSync(OCC_LAUNCHER, 'utf8');
  expect(text).not.toMatch(/^\s*(import|export)\s/m);
  expect(text).not.toMatch(/\?\.|\?\?|\bawait\b|\basync\b/);
});

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const version = existsSync(path) && spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout;
  return version && Number(/^v(\d+)/.exec(version)?.[1]) < 22;
});

it.skipIf(oldNode === undefined)(
  'a real old Node says the same (skipped where the machine has none)',
  async () => {
    const { code, stdout, stderr } = await runOcc(['list'], { node: oldNode! });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: occ needs Node 22\.19 or newer; this is Node \d+\.\d+\.\d+ \(.*\)\n$/);
  },
);

it('without its bundle it says what to do', () => {
  expect(runLauncher(installLauncher(undefined))).toEqual({
    status: 1,
    stdout: '',
    stderr: "Error: occ is not built here; run 'npm run build' first\n",
  });
});

it('a bundle that is broken is not taken for a missing one', () => {
  const { status, stderr } = runLauncher(installLauncher(`throw new Error('broken bundle')`));
  expect(status).toBe(1);
  expect(stderr).toContain('broken bundle');
});
