/** A restore is killed, or its disk is full: the session is the old one or the new one, and life goes on. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { inLanes } from '../safety/in-lanes.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { runOcc } from '../setup/run-occ.ts';
import { listSqliteCalls, runOccWithSqliteFault } from '../setup/sqlite-faults.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { CANNOT_MOUNT, mountTinyDisk } from '../setup/tiny-disk.ts';
import { homeIn, readRefusal } from './database-home.ts';
import { readAllRows } from './look-into.ts';
import { ID, makeEvents, makeTalkingHome, type TalkingHome, talkIn } from './talking-home.ts';

// Dozens of processes: on a machine with other work to do they take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const ARGS = ['restore', ID, '--backup', '1', '--json'];
const root = makeLastingFolder();
let scratches = 0;
const makeScratch = () => join(root, `s${++scratches}`);

let furnished: TalkingHome;
let original: string;
let said: string;
beforeAll(async () => {
  furnished = makeTalkingHome(makeEvents(30), makeScratch());
  original = furnished.file();
  await furnished.edit('--keep', '9', '--truncate', '0');
  said = furnished.say('after the first edit');
  await furnished.edit('--strip-tools=extreme');
  said += furnished.say('after the second edit');
});

function copyHome(): TalkingHome {
  const folder = makeScratch();
  cpSync(furnished.folder, folder, { recursive: true });
  return talkIn(homeIn(folder));
}

async function checkRemains(copy: TalkingHome, when: string): Promise<void> {
  expect(findDatabaseFaults(copy.path), when).toEqual([]);
  const before = furnished.file();
  const isDone = copy.file() !== before;
  expect(copy.file(), when).toBe(isDone ? original + said : before);
  const old = furnished.backups(ID);
  expect(copy.backups(ID), when).toMatchObject(old);
  if (isDone) expect(copy.backups(ID)[3], when).toBe(before);

  const listed = (await copy.json('restore', ID, '--list')) as { number: number }[];
  expect(
    listed.map(({ number }) => number),
    when,
  ).toEqual(isDone ? [3, 2, 1] : [2, 1]);

  const more = copy.say('after the kill');
  const state = copy.file();
  await copy.restore(1);
  expect(copy.file(), when).toBe(original + said + more);
  expect(copy.backups(ID), when).toEqual({ ...old, ...(isDone ? { 3: before, 4: state } : { 3: state }) });
  const names = Object.keys(copy.backups(ID)).map((number) => `${ID}.backup.${number}.jsonl`);
  expect(readdirSync(copy.kept).sort(), when).toEqual([...names, `${ID}.occ.json`]);
  expect(existsSync(`${copy.path}-wal`), when).toBe(false);
}

/** So many of a list, from all over it, its last always among them. */
function pickSome<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, list.length / count);
  return Array.from(
    { length: Math.min(count, list.length) },
    (_, at) => list[list.length - 1 - Math.floor(at * step)]!,
  );
}

test('killed in any of 40 places, in the transaction and around it', HUNT, async () => {
  const looked = copyHome();
  const { run, calls } = await listSqliteCalls(ARGS, { env: looked.env });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(looked.file()).toBe(original + said);
  const again = copyHome();
  const disk = await listDiskCalls(ARGS, { under: again.folder }, { env: again.env });
  const numbers = (list: readonly string[]) => list.map((_, index) => index + 1);
  const kills = [
    ...pickSome(numbers(calls), 20).map((at, index) => ({
      when: `at ${calls[at - 1]}`,
      run: (copy: TalkingHome) =>
        runOccWithSqliteFault(
          ARGS,
          { at, strike: index % 2 === 0 ? 'kill-after' : 'kill-before' },
          { env: copy.env },
        ),
    })),
    ...pickSome(numbers(disk.calls), 20).map((at, index) => ({
      when: `at ${disk.calls[at - 1]}`,
      run: (copy: TalkingHome) =>
        runOccWithFault(
          ARGS,
          { at, strike: index % 2 === 0 ? 'kill-half' : 'kill-after', under: copy.folder },
          { env: copy.env },
        ),
    })),
  ];
  expect(kills).toHaveLength(40);
  await inLanes(sample(kills, { gate: 3 }), async ({ when, run: kill }) => {
    const copy = copyHome();
    expect((await kill(copy)).code, when).toBe(null);
    await checkRemains(copy, when);
    rmSync(copy.folder, { recursive: true });
  });
});

test.for(['database', 'backups'] as const)(
  'the disk of the %s is full: refused, everything is as it was, and done when there is room',
  LONG,
  async (what, { skip }) => {
    const home = copyHome();
    const disk = what === 'database' ? dirname(home.path) : home.sessions;
    const kept = makeScratch();
    cpSync(disk, kept, { recursive: true });
    if (!mountTinyDisk(disk, 8 * 1024 * 1024)) skip(CANNOT_MOUNT);
    cpSync(kept, disk, { recursive: true });
    const filler = fill(disk);
    const { code, hint } = readRefusal(await runOcc(ARGS, { env: home.env }));
    expect(code).toBe(what === 'database' ? 'DATABASE_WRITE_FAILED' : 'RESTORE_FAILED');
    expect(hint).toMatch(/disk/);
    expect(readAllRows(home.path)).toEqual(readAllRows(furnished.path));
    expect(home.backups(ID)).toEqual(furnished.backups(ID));
    expect(home.journal(ID)).toEqual(furnished.journal(ID));
    truncateSync(filler, 0);
    await home.restore(1);
    expect(home.file()).toBe(original + said);
  },
);

function fill(folder: string): string {
  const filler = join(folder, 'filler');
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']);
  return filler;
}
