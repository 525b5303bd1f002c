/** Node runs what its compile cache holds: it must be in a folder that nobody else can write to, or nowhere. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OCC_LAUNCHER } from '../setup/run-occ.ts';

const LAUNCHERS = {
  occ: OCC_LAUNCHER,
  openbot: join(import.meta.dirname, '../../../openbot/bin/openbot.js'),
};
const isRoot = process.getuid!() === 0;

let folder: string;
let home: string;
let temp: string;
let cache: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'occ-compiled-')));
  [home, temp] = [join(folder, 'home'), join(folder, 'temp')];
  cache = join(home, '.cache/openbot/compiled');
  for (const path of [home, temp]) mkdirSync(path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(env: Record<string, string> = {}, launcher = LAUNCHERS.occ) {
  const { status, stderr } = spawnSync(process.execPath, [launcher, '--version'], {
    env: { PATH: process.env.PATH!, HOME: home, TMPDIR: temp, ...env },
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(temp)).toEqual([]);
}

/** All files below a folder that is there. */
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());

describe.each(Object.entries(LAUNCHERS))('%s', (_name, launcher) => {
  it('keeps it in a private folder of the cache home', () => {
    run({}, launcher);
    expect(filesIn(cache)).not.toEqual([]);
    for (const path of [cache, join(cache, '..'), join(cache, '../..')]) {
      expect(lstatSync(path).mode & 0o777).toBe(0o700);
    }
  });

  it('finds XDG_CACHE_HOME', () => {
    const path = join(folder, 'xdg');
    run({ XDG_CACHE_HOME: path }, launcher);
    expect(filesIn(join(path, 'openbot/compiled'))).not.toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('leaves the choice to NODE_COMPILE_CACHE', () => {
    run({ NODE_COMPILE_CACHE: join(folder, 'mine') }, launcher);
    expect(filesIn(join(folder, 'mine'))).not.toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('keeps none with NODE_DISABLE_COMPILE_CACHE', () => {
    run({ NODE_DISABLE_COMPILE_CACHE: '1' }, launcher);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['a relative folder', 'home'],
    ['nothing', ''],
  ])('keeps none where the home folder is %s', (_, HOME) => {
    run({ HOME, XDG_CACHE_HOME: HOME }, launcher);
    expect(readdirSync(home)).toEqual([]);
  });

  it('makes no home folder', () => {
    run({ HOME: join(folder, 'nobody') }, launcher);
    expect(readdirSync(folder).sort()).toEqual(['home', 'temp']);
  });

  it.each([0o777, 0o770, 0o755])('does not use a folder of mode %o', (mode) => {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    chmodSync(cache, mode);
    run({}, launcher);
    expect(readdirSync(cache)).toEqual([]);
  });

  it.each(['.cache/openbot/compiled', '.cache/openbot'])('does not follow a link at %s', (name) => {
    const target = join(folder, 'target');
    mkdirSync(target, { mode: 0o700 });
    mkdirSync(join(home, name, '..'), { recursive: true, mode: 0o700 });
    symlinkSync(target, join(home, name));
    run({}, launcher);
    expect(filesIn(target)).toEqual([]);
  });

  it('does not use a folder below one that others may write to', () => {
    mkdirSync(join(home, '.cache'));
    chmodSync(join(home, '.cache'), 0o777);
    run({}, launcher);
    expect(readdirSync(join(home, '.cache'))).toEqual([]);
    // As the temp folder is: nobody can rename what is another's.
    chmodSync(join(home, '.cache'), 0o1777);
    run({}, launcher);
    expect(filesIn(cache)).not.toEqual([]);
  });

  it('does without where a file is in the way', () => {
    writeFileSync(join(home, '.cache'), 'x');
    run({}, launcher);
    expect(readFileSync(join(home, '.cache'), 'utf8')).toBe('x');
  });

  it.skipIf(!isRoot).each(['.cache/openbot/compiled', '.cache/openbot', '.cache', '.'])(
    'does not use what another user owns: %s (only root can make such a folder)',
    (name) => {
      mkdirSync(cache, { recursive: true, mode: 0o700 });
      chownSync(join(home, name), 65534, 65534);
      run({}, launcher);
      expect(filesIn(home)).toEqual([]);
    },
  );

  it.skipIf(!isRoot)('root makes nothing in the home folder of another user (only root can be root)', () => {
    chownSync(home, 65534, 65534);
    run({}, launcher);
    expect(readdirSync(home)).toEqual([]);
  });
});

it('both commands do it by the same function', () => {
  const functionOf = (path: string) => readFileSync(path, 'utf8').split('function enableCompileCache()')[1];
  expect(functionOf(LAUNCHERS.occ)).toBeDefined();
  expect(functionOf(LAUNCHERS.occ)).toBe(functionOf(LAUNCHERS.openbot));
});
