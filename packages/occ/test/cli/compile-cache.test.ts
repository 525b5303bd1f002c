/** What was compiled in former runs is run: it must be in a folder that no other user can write to, or nowhere. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HUNT, LONG, makeChance, sample, tries } from '../../../../test/setup/hunt.ts';
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

describe.each(sample(Object.entries(LAUNCHERS), { gate: 1 }))('%s', HUNT, (_name, launcher) => {
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

describe('what is kept of a bundle', () => {
  const MARK = '"an installation of its own"';
  let installed: string;
  let bundle: string;

  beforeEach(() => {
    installed = join(folder, 'occ');
    for (const name of ['bin', 'dist/bin', 'package.json']) {
      cpSync(join(LAUNCHERS.occ, '../..', name), join(installed, name), { recursive: true });
    }
    bundle = join(installed, 'dist/bin/start.cjs');
    writeStart(MARK);
  });

  /** A start that prints, and is long enough to be kept. */
  const writeStart = (text: string) =>
    writeFileSync(
      bundle,
      `(function (module) { module.exports.start = () => { say(); }; function say() { process.stdout.write(${text}); } })`,
    );

  function start(nodeArgs: readonly string[] = []): string {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...nodeArgs, join(installed, 'bin/occ.js')],
      { env: { PATH: process.env.PATH!, HOME: home, TMPDIR: temp }, cwd: folder, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  }

  const kept = () => join(cache, readdirSync(cache).find((name) => /^occ-start-\w+-v/.test(name))!);
  /** Whether V8 took what was kept. */
  const tells = join(import.meta.dirname, '../setup/tell-rejected.ts');

  it('is taken by the next run, with the functions that were called', () => {
    expect(start(['--import', tells])).toBe('an installation of its own, taken: undefined');
    expect(readFileSync(kept()).includes('say')).toBe(true);
    expect(start(['--import', tells])).toBe('an installation of its own, taken: true');
    expect(readdirSync(cache).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(lstatSync(kept()).mode & 0o777).toBe(0o600);
  });

  it('does not outlive its bundle, also where that has the same length', () => {
    start();
    writeStart('"an installation of his own"');
    expect(start()).toBe('an installation of his own');
    // The new one is kept in its place.
    expect(start(['--import', tells])).toBe('an installation of his own, taken: true');
  });

  it.each(
    sample(
      [
        ['nothing', () => Buffer.alloc(0)],
        ['other bytes', (bytes: Buffer) => Buffer.alloc(bytes.length, 'x')],
        ['its first half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
        ['its head alone', (bytes: Buffer) => bytes.subarray(0, 128)],
        [
          'other bytes behind its head',
          (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 128), Buffer.alloc(999, 'x')]),
        ],
      ],
      { gate: 2 },
    ),
  )('is not taken where %s is left of it', HUNT, (_, damage) => {
    start();
    writeFileSync(kept(), damage(readFileSync(kept())));
    expect(start(['--import', tells])).toMatch(/^an installation of its own, taken: (undefined|false)$/);
  });

  it('is taken whole or not at all, wherever a bit of it is wrong', HUNT, () => {
    const wanted = start();
    const whole = readFileSync(kept());
    const chance = makeChance();
    for (let n = 0; n < tries({ gate: 3, torture: 60 }); n++) {
      const at = Math.floor(chance() * whole.length);
      const bit = 1 << Math.floor(chance() * 8);
      const damaged = Buffer.from(whole);
      damaged[at]! ^= bit;
      writeFileSync(kept(), damaged);
      expect([at, start(['--import', tells])]).toEqual([at, `${wanted}, taken: undefined`]);
      // The run made it anew.
      expect(readFileSync(kept()).equals(damaged)).toBe(false);
    }
    expect(start(['--import', tells])).toBe(`${wanted}, taken: true`);
  });

  it('is made anew where V8 rejects it, but not by every run', LONG, () => {
    start();
    const other = ['--stack-size=900'];
    const bytes = readFileSync(kept());
    expect(start([...other, '--import', tells])).toBe('an installation of its own, taken: false');
    expect(readFileSync(kept()).equals(bytes)).toBe(true);
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(kept(), hoursAgo, hoursAgo);
    start(other);
    expect(start([...other, '--import', tells])).toBe('an installation of its own, taken: true');
  });

  it('loses what killed runs left unfinished', LONG, () => {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const left = join(cache, 'occ-start-x.1.tmp');
    const written = join(cache, 'occ-start-x.2.tmp');
    for (const path of [left, written]) writeFileSync(path, 'x');
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(left, hoursAgo, hoursAgo);
    start();
    expect([existsSync(left), existsSync(written)]).toEqual([false, true]);
    expect(existsSync(kept())).toBe(true);
  });

  it('of another installation is left alone', LONG, () => {
    start();
    const other = join(folder, 'other');
    renameSync(installed, other);
    installed = other;
    start();
    expect(readdirSync(cache).filter((name) => name.startsWith('occ-start-'))).toHaveLength(2);
  });

  it('is made anew after a day, and removed after a month without use', LONG, () => {
    start();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const unused = join(cache, 'occ-start-of-an-older-node');
    const recent = join(cache, 'occ-start-of-another-node');
    for (const path of [unused, recent]) writeFileSync(path, '');
    utimesSync(unused, daysAgo(31), daysAgo(31));
    utimesSync(recent, daysAgo(29), daysAgo(29));
    start();
    expect(existsSync(unused)).toBe(true);
    utimesSync(kept(), daysAgo(2), daysAgo(2));
    const before = kept();
    start();
    expect(Date.now() - lstatSync(before).mtimeMs).toBeLessThan(86_400_000);
    expect([existsSync(unused), existsSync(recent)]).toEqual([false, true]);
  });
});
