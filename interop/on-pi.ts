/**
 * Runs the tests that use pi with another version of it than the one that is installed here. `npm run interop:pi`, or
 * `npm run interop:pi -- 1.5.2 packages/occ/test/pi-resume`. Exits with 1 where a test fails.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensurePi, NEWEST_PI } from './install-pi.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ROOMS = [
  'packages/sessions/test/transcript',
  'packages/sessions/test/transcript-file',
  'packages/sessions/test/lifecycle',
  'packages/occ/test/clean',
  'packages/occ/test/pi-resume',
  'packages/openbot/test/runners',
  'packages/openbot/test/transcripts',
  'packages/openbot/test/commands/agent-pi.test.ts',
  'packages/openbot/test/turn/memory',
];

const [version = NEWEST_PI, ...rooms] = process.argv.slice(2);
const packages = await ensurePi(version);
const workspace = mkdtempSync(join(tmpdir(), 'openbot-on-pi-'));
try {
  copyWorkspace(workspace, packages);
  console.log(`note pi ${version}`);
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...(rooms.length > 0 ? rooms : ROOMS)], {
    cwd: workspace,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

/** The sources in a folder of their own, with the packages of the workspace except those of pi. */
function copyWorkspace(folder: string, packagesOfPi: string): void {
  const isCopied = (name: string) => !name.startsWith('.') && name !== 'node_modules';
  for (const name of readdirSync(ROOT).filter(isCopied)) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  const installed = join(ROOT, 'node_modules');
  for (const name of readdirSync(installed)) {
    // What was compiled or cached knows the other version.
    const isOwn = name.startsWith('.') && name !== '.bin';
    const isOfWorkspace = ['@openbot', 'openbot', 'oc-context-cleaner'].includes(name);
    if (isOwn || isOfWorkspace || name === '@earendil-works') continue;
    symlinkSync(join(installed, name), join(modules, name));
  }
  symlinkSync(packagesOfPi, join(modules, '@earendil-works'));
  mkdirSync(join(modules, '@openbot'));
  for (const [name, of] of [
    ['@openbot/sessions', 'sessions'],
    ['@openbot/claude-code', 'claude-code'],
    ['oc-context-cleaner', 'occ'],
    ['openbot', 'openbot'],
  ] as const)
    symlinkSync(join(folder, 'packages', of), join(modules, name));
}
