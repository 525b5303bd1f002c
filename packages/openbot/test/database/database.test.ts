import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { CANNOT_MOUNT, mountTinyDisk } from '../../../occ/test/setup/tiny-disk.ts';
import { startChild } from '../../../sessions/test/setup/child.ts';
import { openSqliteInbox } from '../../src/inbox/sqlite/sqlite-inbox.ts';
import { openSqliteOutbox } from '../../src/outbox/sqlite/sqlite-outbox.ts';
import { arrival } from '../inbox/arrival.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { openDatabaseHere } from './open-here.ts';
import { makeVersion1, readTables } from './version-1.ts';

const NAME = 'openbot-inbox.sqlite';
const CHILD = pathToFileURL(programOf(import.meta.dirname, 'children/accept-messages.ts'));
const OPENER = pathToFileURL(programOf(import.meta.dirname, 'children/open-new.ts'));

function isLinkTo(link: string, target: string): boolean {
  try {
    return readlinkSync(link) === target;
  } catch {
    return false;
  }
}

describe('the file', () => {
  test('is private, in a private folder', async () => {
    const stateDir = join(makeTempFolder(), 'a', 'state');
    const database = await openDatabaseHere(stateDir);
    await openSqliteInbox(database).accept(arrival('1'));
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    const files = readdirSync(stateDir);
    expect(files).toContain(NAME);
    for (const file of files) expect(statSync(join(stateDir, file)).mode & 0o777).toBe(0o600);
  });

  test('loses the rights of others', async () => {
    const stateDir = makeTempFolder();
    await (await openDatabaseHere(stateDir)).close();
    chmodSync(join(stateDir, NAME), 0o644);
    await openDatabaseHere(stateDir);
    expect(statSync(join(stateDir, NAME)).mode & 0o777).toBe(0o600);
  });

  test.skipIf(process.platform !== 'linux')('writes ahead, and syncs the log itself', async () => {
    const stateDir = makeTempFolder();
    const database = await openDatabaseHere(stateDir);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    const log = join(realpathSync(stateDir), `${NAME}-wal`);
    const logs = () => readdirSync('/proc/self/fd').filter((fd) => isLinkTo(`/proc/self/fd/${fd}`, log));
    const before = logs().length;
    await openSqliteInbox(database).accept(arrival('1'));
    // The descriptor that is synced, beside that of SQLite.
    expect(logs().length - before).toBe(1);
    await database.close();
    expect(logs()).toEqual([]);
  });

  test('a second connection of the process takes no locks from the first', async () => {
    const stateDir = makeTempFolder();
    const first = await openDatabaseHere(stateDir);
    const inbox = openSqliteInbox(first);
    await inbox.accept(arrival('1'));
    await (await openDatabaseHere(stateDir)).close();
    // The last one to close a database removes its log. Another process is not the last.
    const path = join(stateDir, NAME);
    const script = `const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]); db.prepare('SELECT * FROM inbox').all(); db.close();`;
    execFileSync(process.execPath, ['--no-warnings', '-e', script, path]);
    expect(existsSync(`${path}-wal`)).toBe(true);
    await inbox.accept(arrival('2'));
    await first.close();
    expect(await openSqliteInbox(await openDatabaseHere(stateDir)).find(arrival('2').identity)).toBeDefined();
  });

  test('may be a link to a file elsewhere', async () => {
    const [stateDir, elsewhere] = [makeTempFolder(), makeTempFolder()];
    await (await openDatabaseHere(elsewhere)).close();
    symlinkSync(join(elsewhere, NAME), join(stateDir, NAME));
    const inbox = openSqliteInbox(await openDatabaseHere(stateDir));
    expect(await inbox.accept(arrival('1'))).toMatchObject({ isNew: true });
  });

  test('what is in it is there after it was closed and opened', async () => {
    const stateDir = makeTempFolder();
    const first = await openDatabaseHere(stateDir);
    const { message } = await openSqliteInbox(first).accept(arrival('1'));
    await openSqliteInbox(first).addEvent('s', { text: 'kept', at: 1 });
    await first.close();
    expect(readdirSync(stateDir)).toEqual([NAME]);
    const inbox = openSqliteInbox(await openDatabaseHere(stateDir));
    expect(await inbox.get(message.seq)).toEqual(message);
    expect((await inbox.accept(arrival('1'))).isNew).toBe(false);
    expect(await inbox.takeEvents('s', 't')).toEqual([{ text: 'kept', at: 1 }]);
  });

  test.each([
    ['no database', Buffer.from('this is a text, and a long one: '.repeat(200))],
    ['a damaged one', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)])],
  ])('%s in its place is an error that names it, and stays', async (_, content) => {
    const stateDir = makeTempFolder();
    writeFileSync(join(stateDir, NAME), content);
    await expect(openDatabaseHere(stateDir)).rejects.toMatchObject({
      code: 'INBOX_UNREADABLE',
      message: expect.stringContaining(join(stateDir, NAME)),
    });
    expect(readFileSync(join(stateDir, NAME)).equals(content)).toBe(true);
  });

  test('a folder in its place, and a file in the place of its folder', async () => {
    const stateDir = makeTempFolder();
    mkdirSync(join(stateDir, NAME));
    await expect(openDatabaseHere(stateDir)).rejects.toMatchObject({ code: 'INBOX_UNREADABLE' });
    writeFileSync(join(stateDir, 'file'), '');
    await expect(openDatabaseHere(join(stateDir, 'file'))).rejects.toMatchObject({
      code: 'INBOX_UNREADABLE',
    });
  });

  test('a newer version, and the database of another program, are left alone', async () => {
    const stateDir = makeTempFolder();
    const other = new DatabaseSync(join(stateDir, NAME));
    other.exec('CREATE TABLE theirs (a)');
    await expect(openDatabaseHere(stateDir)).rejects.toMatchObject({ code: 'INBOX_UNREADABLE' });
    other.exec('PRAGMA user_version = 99');
    await expect(openDatabaseHere(stateDir)).rejects.toMatchObject({
      code: 'INBOX_TOO_NEW',
      message: expect.stringMatching(/version 99/),
    });
    expect(other.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'theirs' }]);
    other.close();
  });

  test('version 1 keeps every row, and gets what later ones have more', async () => {
    const stateDir = makeTempFolder();
    const before = makeVersion1(stateDir);
    // Both at once, as two commands may.
    const [database, second] = await Promise.all([openDatabaseHere(stateDir), openDatabaseHere(stateDir)]);
    const adding = (more: object) => (row: unknown) => ({ ...(row as object), ...more });
    expect(readTables(database)).toEqual({
      ...before,
      inbox: before.inbox!.map(adding({ kind: null, amended: 0 })),
      outbox: before.outbox!.map(adding({ is_marked: 0 })),
    });
    expect(before.inbox).toHaveLength(5);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
    const schemaOf = ({ prepare }: typeof database) =>
      prepare('SELECT name FROM sqlite_schema ORDER BY name').all();
    expect(schemaOf(database)).toEqual(schemaOf(await openDatabaseHere()));
    const { message } = await openSqliteInbox(second).accept(arrival('new', { kind: 'aside' }));
    expect(message).toMatchObject({ seq: 6, kind: 'aside' });
  });

  test('damage that is found later is an error that names the file', async () => {
    const stateDir = makeTempFolder();
    const database = await openDatabaseHere(stateDir);
    const inbox = openSqliteInbox(database);
    for (let n = 0; n < 50; n++) void inbox.accept(arrival(`m${n}`, { ctx: { Body: 'x'.repeat(2000) } }));
    await database.close();
    const bytes = readFileSync(join(stateDir, NAME));
    bytes.fill(0xaa, 4096);
    writeFileSync(join(stateDir, NAME), bytes);
    const damaged = openSqliteInbox(await openDatabaseHere(stateDir));
    const error = { code: 'INBOX_UNREADABLE', message: expect.stringContaining(NAME) };
    await expect(damaged.waiting(arrival(''))).rejects.toMatchObject(error);
    await expect(damaged.accept(arrival('new'))).rejects.toMatchObject(error);
  });
});

describe('writes that are asked for at once', () => {
  test('share a commit, and one that fails takes back only its own changes', async () => {
    const stateDir = makeTempFolder();
    const database = await openDatabaseHere(stateDir);
    const watcher = new DatabaseSync(join(stateDir, NAME), { readOnly: true });
    const version = watcher.prepare('PRAGMA data_version');
    const insert = database.prepare('INSERT INTO event (session_key, text, at) VALUES (?, ?, ?)');
    const before = version.get();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        database.write(() => {
          insert.run('s', `event ${n}`, n);
          if (n % 5 === 4) throw new Error(`refused ${n}`);
          return n;
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n % 5 === 4 ? 'rejected' : 'fulfilled')),
    );
    expect(outcomes[4]).toMatchObject({ reason: { message: 'refused 4' } });
    expect(watcher.prepare('SELECT count(*) AS n FROM event').get()).toEqual({ n: 16 });
    expect(Number(version.get()?.data_version) - Number(before?.data_version)).toBe(1);
    watcher.close();
  });

  test('are waited for before it is closed', async () => {
    const stateDir = makeTempFolder();
    const database = await openDatabaseHere(stateDir);
    const accepting = openSqliteInbox(database).accept(arrival('1'));
    await database.close();
    expect((await accepting).isNew).toBe(true);
    expect(await openSqliteInbox(await openDatabaseHere(stateDir)).find(arrival('1').identity)).toBeDefined();
  });
});

describe('several connections', () => {
  test('a writer is waited for without blocking this process', async () => {
    const stateDir = makeTempFolder();
    const inbox = openSqliteInbox(await openDatabaseHere(stateDir));
    const other = new DatabaseSync(join(stateDir, NAME));
    other.exec('BEGIN IMMEDIATE');
    let isAccepted = false;
    const accepting = inbox.accept(arrival('1')).then(() => {
      isAccepted = true;
    });
    // Timers go on, and so does reading.
    await sleep(60);
    expect(await inbox.waiting(arrival(''))).toEqual([]);
    expect(isAccepted).toBe(false);
    other.exec('COMMIT');
    other.close();
    await accepting;
  });

  test('changes of another one are heard of', async () => {
    const stateDir = makeTempFolder();
    const mine = await openDatabaseHere(stateDir);
    const heard = Promise.withResolvers<void>();
    afterTest(openSqliteInbox(mine).onChange(heard.resolve));
    const heardToo = Promise.withResolvers<void>();
    afterTest(openSqliteOutbox(mine).onChange(heardToo.resolve));
    await openSqliteInbox(await openDatabaseHere(stateDir)).accept(arrival('1'));
    await Promise.all([heard.promise, heardToo.promise]);
  });

  test('several processes accept, put and move: nothing is lost, and nothing is there twice', async () => {
    const stateDir = makeTempFolder();
    const children = ['a', 'b', 'c'].map((name) => startChild(CHILD, [stateDir, name, '10']));
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const database = await openDatabaseHere(stateDir);
    expect(await openSqliteInbox(database).counts()).toMatchObject({ answered: 120, received: 0 });
    expect(await openSqliteOutbox(database).counts()).toMatchObject({ waiting: 240 });
  });

  test('several processes make the same new database at the same moment', HUNT, async () => {
    const root = makeTempFolder();
    const names = ['a', 'b', 'c'];
    const count = tries({ gate: 60, torture: 2000 });
    const children = names.map((name) => startChild(OPENER, [root, name, String(count), ...names]));
    await Promise.all(children.map(({ ended }) => ended));
    for (const child of children) expect(child.output()).toBe('opened\n'.repeat(count));
    const database = await openDatabaseHere(join(root, 'state-0'));
    expect((await openSqliteInbox(database).accept(arrival('1'))).isNew).toBe(true);
  });

  test(
    'a process that is killed leaves everything that it said was kept, and nothing half',
    HUNT,
    async () => {
      const chance = makeChance();
      for (let round = 0; round < tries({ gate: 4, torture: 60 }); round++) {
        const stateDir = makeTempFolder();
        const child = startChild(CHILD, [stateDir, 'k']);
        await child.printed(`answered k-0-${Math.trunc(chance() * 20)}`);
        await sleep(chance() * 5);
        child.process.kill('SIGKILL');
        await child.ended;
        const database = await openDatabaseHere(stateDir);
        const inbox = openSqliteInbox(database);
        const outbox = openSqliteOutbox(database);
        for (const line of child.output().split('\n').slice(0, -1)) {
          const [what, id = ''] = line.split(' ');
          const message = await inbox.find(arrival(id).identity);
          expect(message, line).toBeDefined();
          if (what === 'answered') expect(message).toMatchObject({ state: 'answered', turnId: id });
        }
        const { waiting } = await outbox.counts();
        expect(waiting % 2).toBe(0);
        expect(waiting / 2).toBeGreaterThanOrEqual((await inbox.counts()).answered);
        expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      }
    },
  );
});

describe('a full disk', () => {
  test('a message that does not fit is refused whole, others are kept, and it works again', async ({
    skip,
  }) => {
    const stateDir = makeTempFolder();
    if (!mountTinyDisk(stateDir, 1_000_000)) skip(CANNOT_MOUNT);
    const database = await openDatabaseHere(stateDir);
    const inbox = openSqliteInbox(database);
    await inbox.accept(arrival('before'));
    const ballast = join(stateDir, 'ballast');
    writeFileSync(ballast, Buffer.alloc(300_000));
    const big = arrival('big', { ctx: { Body: 'x'.repeat(2_000_000) } });
    const [refused, kept] = await Promise.allSettled([inbox.accept(big), inbox.accept(arrival('small'))]);
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: { code: 'INBOX_WRITE_FAILED', message: expect.stringContaining(NAME) },
    });
    expect(kept).toMatchObject({ status: 'fulfilled', value: { isNew: true } });
    expect(await inbox.find(big.identity)).toBeUndefined();

    let full: unknown;
    for (let n = 0; full === undefined; n++) {
      const one = arrival(`fill ${n}`, { ctx: { Body: 'x'.repeat(20_000) } });
      await inbox.accept(one).catch((error) => {
        full = error;
      });
    }
    expect(full).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    const { received } = await inbox.counts();
    rmSync(ballast);
    expect(existsSync(ballast)).toBe(false);
    await inbox.accept(arrival('after', { ctx: { Body: 'x'.repeat(20_000) } }));
    expect(await inbox.counts()).toMatchObject({ received: received + 1 });
    await database.close();
  });
});
