/**
 * Before any test runs, the kernel, the libraries, the bundles of `occ` and `openbot` and those of programs that tests start
 * are made from the sources as they are. Commands that tests start share what Node compiled of them.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleOcc } from '../../packages/occ/build/bundle.ts';
import { bundleOpenbot } from '../../packages/openbot/build/bundle.ts';
import { makeKernel } from '../../packages/sessions/build/kernel.ts';
import { buildPrograms } from './build-programs.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Why there is no bundle: those tests fail that run it, and no others. */
    occBundleFault: string | null;
    openbotBundleFault: string | null;
    /** The place of temp folders. */
    temp: string;
    /** The machine's own place of them, for a test that needs a second file system. */
    machineTemp: string;
    /** The compile cache of the commands that tests start. */
    compiled: string;
  }
}

const ROOT = join(import.meta.dirname, '../..');

export async function setup(project: TestProject): Promise<() => void> {
  await makeKernel();
  // Next to nothing where they are made already. Errors of types are not of interest here: `npm run types` shows them.
  spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b'], { cwd: ROOT });
  project.provide('occBundleFault', await bundleOnce('occ', bundleOcc));
  project.provide('openbotBundleFault', await bundleOnce('openbot', bundleOpenbot));
  project.provide(
    'programs',
    await buildPrograms().then(
      (files) => ({ files }),
      (error) => ({ fault: String(error) }),
    ),
  );
  const temp = makeTemp();
  project.provide('temp', temp);
  project.provide('machineTemp', tmpdir());
  const compiled = join(temp, 'compiled');
  mkdirSync(compiled, { mode: 0o700 });
  project.provide('compiled', compiled);
  return () => rmSync(temp, { recursive: true, force: true });
}

/**
 * ext4 puts all folders of a folder into one group of inodes, and looks past each one that was deleted in the last minutes
 * whenever it makes a file: after some thousand tests that takes longer than everything else that is done to a file. Folders
 * of a folder with the attribute T are spread over the disk. Elsewhere the attribute is refused, and not needed.
 */
function makeTemp(): string {
  const folder = mkdtempSync(join(choosePlace(), 'openbot-test-'));
  // Tests run commands as other users, who make temp files too.
  chmodSync(folder, 0o1777);
  spawnSync('chattr', ['+T', folder]);
  return folder;
}

const MEMORY = '/dev/shm';
/** Ten times what a run uses at a time. */
const ROOM = 2 * 2 ** 30;

/**
 * A disk in memory, where there is one with room: making a file there takes a thirtieth of the time, and tests make
 * very many. OPENBOT_TEST_TEMP names another place, such as a disk.
 */
function choosePlace(): string {
  const { OPENBOT_TEST_TEMP } = process.env;
  if (OPENBOT_TEST_TEMP) return OPENBOT_TEST_TEMP;
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    removeLeft();
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize >= ROOM) return MEMORY;
  } catch {}
  return tmpdir();
}

/** What killed runs left there takes memory until the machine starts again. */
function removeLeft(): void {
  for (const path of globSync(`${MEMORY}/openbot-test-*`)) {
    const { mtimeMs, uid } = statSync(path);
    if (uid === process.getuid?.() && mtimeMs < Date.now() - 86_400_000)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Makes a bundle, unless it is there and made of these sources. Returns why it could not be made. */
async function bundleOnce(name: string, bundle: () => Promise<void>): Promise<string | null> {
  const stamp = join(ROOT, 'node_modules/.cache/openbot-bundles', name);
  const before = describeFiles(['packages/*/src/**/*.ts', 'packages/*/build/*.ts', 'package-lock.json']);
  const made = () => `${before}\n${describeFiles([`packages/${name}/dist/bin/*js`])}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === made()) return null;
  try {
    await bundle();
  } catch (error) {
    return String(error);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, made());
  return null;
}

function describeFiles(patterns: readonly string[]): string {
  const lines = globSync(patterns, { cwd: ROOT })
    .sort()
    .map((path) => {
      const { mtimeMs, size } = statSync(join(ROOT, path));
      return `${path} ${mtimeMs} ${size}`;
    });
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
