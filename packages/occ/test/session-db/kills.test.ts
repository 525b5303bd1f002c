/** The command is killed at places all over an edit: the session is the old one or the new one, and life goes on. */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test, vi } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { inLanes } from '../safety/in-lanes.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import type { OccRun } from '../setup/run-occ.ts';
import { listSqliteCalls, runOccWithSqliteFault, type SqliteFault } from '../setup/sqlite-faults.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { appendTurn } from './append-turn.ts';
import { type DatabaseHome, homeIn, makeHome } from './database-home.ts';
import { changeDatabase, readAsFile, readEntryOf } from './look-into.ts';

// Hundreds of processes: on a machine with other work to do they take their time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const KILLS = 200;
const ID = '00000000-0000-4000-8000-000000000001';
const ARGS = ['edit', ID, '--strip-tools=extreme', '--json'];

const root = makeLastingFolder();
let scratches = 0;
const makeScratch = () => join(root, `s${++scratches}`);

let furnished: DatabaseHome;
let before: string;
let after: string;
type Kill = { readonly when: string; run(copy: DatabaseHome): Promise<OccRun>; readonly isCertain: boolean };
const kills: Kill[] = [];
/** The same in a database that has no WAL, as OpenClaw keeps it on a network volume. */
const killsWithoutWal: Kill[] = [];

function copyHome(): DatabaseHome {
  const folder = makeScratch();
  cpSync(furnished.folder, folder, { recursive: true });
  return homeIn(folder);
}

function copyWithoutWal(): DatabaseHome {
  const copy = copyHome();
  changeDatabase(copy.path, 'PRAGMA journal_mode = DELETE');
  return copy;
}

function talk({ path }: DatabaseHome, about: string): void {
  const database = new DatabaseSync(path);
  appendTurn(database, ID, about);
  database.close();
}

/** A session with two edits and their backups behind it. */
beforeAll(async () => {
  const events = generateEvents({ seed: 3, turns: 9, rounds: 1, resultLength: 1500, sessionId: ID });
  furnished = makeHome([{ key: 'agent:main:main', events, entry: { totalTokens: 90_000 } }], makeScratch());
  await furnished.json('edit', ID, '--keep', '3', '--truncate', '0');
  talk(furnished, 'after the first edit');
  await furnished.json('edit', ID, '--keep', '3', '--truncate', '0');
  talk(furnished, 'after the second edit');
  // Within a minute of the last message an open exchange is looked for, and the calls are others.
  const anHour = 3_600_000;
  changeDatabase(
    furnished.path,
    `UPDATE session_windows SET transcript_updated_at = transcript_updated_at - ${anHour}`,
  );
  before = readAsFile(furnished.path, ID);

  const looked = copyHome();
  const { run, calls } = await listSqliteCalls(ARGS, { env: looked.env });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  after = readAsFile(looked.path, ID);
  expect(after).not.toBe(before);
  for (const [index, call] of calls.entries()) addSqliteKills(index + 1, call);

  const again = copyHome();
  const disk = await listDiskCalls(ARGS, { under: again.folder }, { env: again.env });
  for (const [index, call] of disk.calls.entries()) addDiskKills(index + 1, call);
});

function addSqliteKills(at: number, call: string): void {
  const isLarge = call.startsWith('exec') || call.includes('session_windows SET');
  const add = (fault: SqliteFault) => {
    const kill: Kill = {
      when: `${JSON.stringify(fault)} ${call}`,
      run: (copy) => runOccWithSqliteFault(ARGS, fault, { env: copy.env }),
      isCertain: fault.strike !== 'kill-within',
    };
    kills.push(kill);
    if (isLarge) killsWithoutWal.push(kill);
  };
  const isWriting = /^(run|exec)/.test(call);
  add({ at, strike: 'kill-before' });
  if (isWriting) add({ at, strike: 'kill-after' });
  // The end of a transaction is where most of the writing is.
  if (call === 'exec COMMIT')
    for (let tenth = 0; tenth < 10; tenth++) add({ at, strike: 'kill-within', within: tenth / 5 });
}

function addDiskKills(at: number, call: string): void {
  const strikes = call.startsWith('write ')
    ? (['kill-before', 'kill-half', 'kill-after'] as const)
    : (['kill-before', 'kill-after'] as const);
  for (const strike of strikes) {
    kills.push({
      when: `${strike} ${call}`,
      run: (copy) => runOccWithFault(ARGS, { at, strike, under: copy.folder }, { env: copy.env }),
      isCertain: true,
    });
  }
}

async function checkRemains(copy: DatabaseHome, when: string): Promise<void> {
  expect(findDatabaseFaults(copy.path), when).toEqual([]);
  const now = readAsFile(copy.path, ID);
  expect([before, after].includes(now), `${when}: neither the old nor the new session`).toBe(true);
  const isSwapped = now === after;
  const { totalTokens } = readEntryOf(copy.path, 'agent:main:main').entry;
  expect(totalTokens === readEntryOf(furnished.path, 'agent:main:main').entry.totalTokens, when).toBe(
    !isSwapped,
  );
  const old = furnished.backups(ID);
  expect(copy.backups(ID), when).toMatchObject(old);
  if (isSwapped) expect(copy.backups(ID)[3], when).toBe(before);

  talk(copy, 'after the kill');
  const said = readAsFile(copy.path, ID);
  expect(await copy.json(...ARGS.slice(0, -1)), when).toMatchObject({ changed: true });
  const states = isSwapped ? { 3: before, 4: said } : { 3: said };
  expect(copy.backups(ID), when).toEqual({ ...old, ...states });
  const records = copy.journal(ID).map(({ backup }) => backup);
  expect(records, when).toEqual(Object.keys({ ...old, ...states }).map(Number));
  expect(readAsFile(copy.path, ID), when).toContain('Answer after the kill');
  expect(findDatabaseFaults(copy.path), when).toEqual([]);
  const names = Object.keys(copy.backups(ID)).map((number) => `${ID}.backup.${number}.jsonl`);
  expect(readdirSync(copy.kept).sort(), when).toEqual([...names, `${ID}.occ.json`]);
  expect(existsSync(`${copy.path}-wal`), when).toBe(false);
}

test('the same without a WAL: what was half done is undone by who comes next', LONG, async () => {
  let killed = 0;
  const chosen = sample(killsWithoutWal, { gate: 3 });
  await inLanes(chosen, async ({ when, run, isCertain }) => {
    const copy = copyWithoutWal();
    const { code, stderr } = await run(copy);
    if (code === null) killed++;
    else expect(isCertain, `${when}: ${stderr}`).toBe(false);
    // Reading undoes it; without that nobody may look.
    changeDatabase(copy.path, 'SELECT count(*) FROM sqlite_schema');
    await checkRemains(copy, when);
    expect(existsSync(`${copy.path}-journal`), when).toBe(false);
    rmSync(copy.folder, { recursive: true });
  });
  expect(killed).toBeGreaterThanOrEqual(chosen.filter(({ isCertain }) => isCertain).length);
});

test(`killed in any of ${KILLS} places and more, in the transaction and around it`, HUNT, async () => {
  let killed = 0;
  const chosen = sample(kills, { gate: 5 });
  await inLanes(chosen, async ({ when, run, isCertain }) => {
    const copy = copyHome();
    const { code, stderr } = await run(copy);
    if (code === null) killed++;
    else expect(isCertain, `${when}: ${stderr}`).toBe(false);
    await checkRemains(copy, when);
    rmSync(copy.folder, { recursive: true });
  });
  expect(kills.filter(({ isCertain }) => isCertain).length).toBeGreaterThanOrEqual(KILLS);
  expect(killed).toBeGreaterThanOrEqual(chosen.filter(({ isCertain }) => isCertain).length);
});
