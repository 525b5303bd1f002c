/** Disks that are full or broken: a clear refusal, and everything as it was. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { BUILT_IN_PRESETS } from '../../src/clean/presets.ts';
import { editSession } from '../../src/rewrite/edit-session.ts';
import { storageOf } from '../../src/storage/all.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import { inLanes } from '../safety/in-lanes.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { type OccRun, runOcc } from '../setup/run-occ.ts';
import { listSqliteCalls, runOccWithSqliteFault } from '../setup/sqlite-faults.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { CANNOT_MOUNT, mountTinyDisk } from '../setup/tiny-disk.ts';
import { appendTurn } from './append-turn.ts';
import { type DatabaseHome, homeIn, makeHome, type Refusal, readRefusal } from './database-home.ts';
import { readAllRows, readAsFile } from './look-into.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const ARGS = ['edit', ID, '--strip-tools=extreme', '--json'];
const FULL = 13;
const IOERR = 10;

const root = makeLastingFolder();
let scratches = 0;
const makeScratch = () => join(root, `s${++scratches}`);

let made: DatabaseHome;
let home: DatabaseHome;
beforeAll(() => {
  // Large enough that its change does not fit into what a full disk has left.
  const events = generateEvents({ seed: 3, turns: 40, rounds: 1, resultLength: 3000, sessionId: ID });
  made = makeHome([{ key: 'agent:main:main', events, entry: { totalTokens: 90_000 } }], makeScratch());
});

function copyTo(folder: string): DatabaseHome {
  cpSync(made.folder, folder, { recursive: true });
  return homeIn(folder);
}
beforeEach(() => {
  home = copyTo(makeScratch());
});

function expectUnchanged(there: DatabaseHome, when = ''): void {
  expect(readAllRows(there.path), when).toEqual(readAllRows(made.path));
  expect(findDatabaseFaults(there.path), when).toEqual([]);
  expect(there.backups(ID), when).toEqual({});
  expect(there.journal(ID), when).toEqual([]);
  expect(existsSync(there.sessions), when).toBe(false);
}

function expectRefused(ran: OccRun, there: DatabaseHome): Refusal {
  const refusal = readRefusal(ran);
  expectUnchanged(there);
  return refusal;
}

function fill(folder: string, leave: number): string {
  const filler = join(folder, 'filler');
  const { stdout } = spawnSync('df', ['--output=avail', '-B1', folder], { encoding: 'utf8' });
  const room = Number(stdout.split('\n')[1]) - leave;
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096', `count=${Math.floor(room / 4096)}`]);
  return filler;
}

describe('a full disk', () => {
  test.for(sample([0, 64, 256], { gate: 1 }))(
    'that holds the database alone, %i KB left: the backup is taken back, and done when there is room',
    HUNT,
    async (left, { skip }) => {
      const disk = dirname(home.path);
      if (!mountTinyDisk(disk, 8 * 1024 * 1024)) skip(CANNOT_MOUNT);
      cpSync(made.path, home.path);
      const filler = fill(disk, left * 1024);
      const { code, message, hint } = expectRefused(await runOcc(ARGS, { env: home.env }), home);
      expect([code, message, hint]).toEqual([
        'EDIT_FAILED',
        expect.stringContaining(home.path),
        expect.stringMatching(/disk/),
      ]);
      truncateSync(filler, 0);
      expect((await runOcc(ARGS, { env: home.env })).code).toBe(0);
      expect(findDatabaseFaults(home.path)).toEqual([]);
    },
  );

  test.for(sample([0, 64], { gate: 1 }))(
    'that holds the backups alone, %i KB left',
    HUNT,
    async (left, { skip }) => {
      mkdirSync(home.sessions);
      if (!mountTinyDisk(home.sessions, 1024 * 1024)) skip(CANNOT_MOUNT);
      const filler = fill(home.sessions, left * 1024);
      const ran = await runOcc(ARGS, { env: home.env });
      const { message, hint } = readRefusal(ran);
      expect(message).toMatch(/ENOSPC|no space/);
      expect(hint).toMatch(/disk space/);
      expect(readdirSync(home.sessions)).toEqual(['filler']);
      expect(readAllRows(home.path)).toEqual(readAllRows(made.path));
      truncateSync(filler, 0);
      expect((await runOcc(ARGS, { env: home.env })).code).toBe(0);
    },
  );
});

describe('something in the way', () => {
  test('a file with the name of the folder for backups', async () => {
    writeFileSync(home.sessions, 'a file');
    const { message, hint } = readRefusal(await home.occ(...ARGS));
    expect([message, hint]).toEqual([
      expect.stringContaining(home.sessions),
      expect.stringContaining('is a folder'),
    ]);
    expect(readAllRows(home.path)).toEqual(readAllRows(made.path));
  });

  test('a link that leads nowhere in its place', async () => {
    symlinkSync(join(home.folder, 'nowhere', 'at all'), home.sessions);
    expect(readRefusal(await home.occ(...ARGS)).code).toBe('EDIT_FAILED');
    expect(readAllRows(home.path)).toEqual(readAllRows(made.path));
  });

  test('a folder with the name of the journal', async () => {
    mkdirSync(join(home.kept, `${ID}.occ.json`), { recursive: true });
    expect(readRefusal(await home.occ(...ARGS)).code).toBe('EDIT_FAILED');
    expect(readAllRows(home.path)).toEqual(readAllRows(made.path));
    expect(home.backups(ID)).toEqual({});
    expect(readdirSync(home.kept)).toEqual([`${ID}.occ.json`]);
  });

  test('a file with the name of the folder for backups', async () => {
    mkdirSync(home.sessions);
    writeFileSync(home.kept, 'mine');
    const { code, message, hint } = readRefusal(await home.occ(...ARGS));
    expect([code, message]).toEqual(['EDIT_FAILED', `Cannot store a backup: ${home.kept} is not a folder`]);
    expect(hint).toContain('Nothing was changed');
    expect(readAllRows(home.path)).toEqual(readAllRows(made.path));
    expect(readFileSync(home.kept, 'utf8')).toBe('mine');
  });

  test('a folder with the name of a file that SQLite needs beside the database', async () => {
    mkdirSync(`${home.path}-wal`);
    const { code, message } = readRefusal(await home.occ(...ARGS));
    expect([code, message]).toEqual(['DATABASE_UNREADABLE', expect.stringContaining(home.path)]);
    expect(home.backups(ID)).toEqual({});
  });
});

describe('each call that fails once', () => {
  vi.setConfig({ testTimeout: 600_000 });

  test('to the disk: refused with everything as it was, or done', HUNT, async () => {
    const looked = copyTo(makeScratch());
    const { calls } = await listDiskCalls(ARGS, { under: looked.folder }, { env: looked.env });
    const after = readAsFile(looked.path, ID);
    const faults = calls.flatMap((call, index) => {
      const [op] = call.split(' ');
      // Removing a name takes no room, and what fails in a sync or a rename is the disk itself.
      if (op === 'unlink') return [];
      return { at: index + 1, strike: op === 'fsync' || op === 'rename' ? 'EIO' : 'ENOSPC', call } as const;
    });
    expect(faults.length).toBeGreaterThan(5);
    const codes = new Set<string>();
    await inLanes(sample(faults, { gate: 3 }), async ({ at, strike, call }) => {
      const copy = copyTo(makeScratch());
      const ran = await runOccWithFault(ARGS, { at, strike, under: copy.folder }, { env: copy.env });
      const when = `${strike} at call ${at} (${call.split('/').at(-1)}): ${ran.stderr}`;
      if (ran.code === 0) expect(readAsFile(copy.path, ID), when).toBe(after);
      else {
        codes.add(readRefusal(ran).code);
        expect(readAllRows(copy.path), when).toEqual(readAllRows(made.path));
        expect(copy.backups(ID), when).toEqual({});
        expect(copy.journal(ID), when).toEqual([]);
      }
      expect((await copy.json('edit', ID, '--strip-tools=extreme')).success, when).toBe(true);
      expect(Object.keys(copy.backups(ID)), when).toEqual(['1']);
      expect(
        readdirSync(copy.sessions).filter((name) => /\.(tmp|lock|claim)/.test(name)),
        when,
      ).toEqual([]);
      expect(findDatabaseFaults(copy.path), when).toEqual([]);
    });
    expect([...codes].sort()).toEqual(['EDIT_FAILED']);
  });

  test('to SQLite, where it writes: refused in its words, and nothing is left', HUNT, async () => {
    const looked = copyTo(makeScratch());
    const { calls } = await listSqliteCalls(ARGS, { env: looked.env });
    // The first one only finds out whether the database is free.
    const begin = calls.lastIndexOf('exec BEGIN IMMEDIATE');
    const end = calls.indexOf('exec COMMIT', begin) + 1;
    const places = calls.map((call, index) => ({ call, at: index + 1 })).slice(begin, end);
    const kinds = new Map(places.map((place) => [place.call, place]));
    expect(kinds.size).toBeGreaterThan(10);
    await inLanes(sample([...kinds.values()], { gate: 3 }), async ({ call, at }) => {
      const copy = copyTo(makeScratch());
      const errcode = call.startsWith('exec') ? FULL : IOERR;
      const fault = { at, strike: 'fail', errcode } as const;
      const ran = await runOccWithSqliteFault(ARGS, fault, { env: copy.env });
      expect(readRefusal(ran), call).toMatchObject({ code: 'EDIT_FAILED', reason: 'DATABASE_WRITE_FAILED' });
      expectUnchanged(copy, call);
    });
  });
});

describe('while writers are kept out, because others wrote again and again', () => {
  const { exec } = DatabaseSync.prototype;
  afterEach(() => {
    DatabaseSync.prototype.exec = exec;
  });

  test('a transaction that cannot be ended leaves no backup', LONG, async () => {
    const talker = new DatabaseSync(home.path);
    let asked = 0;
    const session = { source: 'openclaw', storage: 'sqlite', sessionId: ID, path: home.path } as FoundSession;
    const editing = editSession(storageOf(session), session, {
      options: BUILT_IN_PRESETS.extreme,
      now: () => {
        asked++;
        if (asked < 4) appendTurn(talker, ID, `number ${asked}`);
        else
          DatabaseSync.prototype.exec = function (sql) {
            if (sql !== 'COMMIT') return exec.call(this, sql);
            throw Object.assign(new Error('made by the test'), { errcode: FULL });
          };
        return new Date();
      },
    });
    await expect(editing).rejects.toMatchObject({ code: 'DATABASE_WRITE_FAILED' });
    DatabaseSync.prototype.exec = exec;
    talker.close();
    expect(asked).toBe(4);
    expect(home.backups(ID)).toEqual({});
    expect(home.journal(ID)).toEqual([]);
    expect(readAsFile(home.path, ID)).toContain(readAsFile(made.path, ID));
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });
});
