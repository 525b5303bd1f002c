/** `occ info` on a session in a database: the same as on a file of the same lines. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { composeSession } from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import { addOpening, addTurn } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { takeSnapshot } from '../commands/snapshot.ts';
import { startChild } from '../setup/start-child.ts';
import { appendTurn } from './append-turn.ts';
import { type DatabaseHome, makeFixtureHome, makeHome } from './database-home.ts';
import { changeDatabase, readAsFile } from './look-into.ts';
import { ID, KEY, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const HOLDER = new URL('./children/hold-database.mjs', import.meta.url);

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
});

/** A session with branches, a reset, a compaction and a leaf that is not its last line. */
function composeTree() {
  const session = composeSession({ seed: 9, sessionId: ID });
  addOpening(session);
  const first = addTurn(session, 0, { resultLength: 900, thinking: true, contextUsage: true });
  addTurn(session, 1, { resultLength: 900 });
  session.addUser('instead', { from: first });
  session.addAssistant({ text: 'as you like' });
  const kept = addTurn(session, 2, { resultLength: 900, contextUsage: true });
  session.addCompaction(kept);
  addTurn(session, 3, { resultLength: 300 });
  session.addReset();
  const last = addTurn(session, 4, { resultLength: 300 });
  session.addUser('/status', { excluded: true });
  session.addLeaf(last, { appendParentId: session.leaf, side: true });
  return session.events;
}

/** By name, those beside a database; what SQLite keeps in memory that is shared by its readers is told by its name. */
function readFiles(path: string): [name: string, content: string][] {
  const folder = dirname(path);
  return readdirSync(folder).map((name) => [
    name,
    name.endsWith('-shm') ? '' : readFileSync(join(folder, name), 'latin1'),
  ]);
}

async function expectSameAsFile(there: DatabaseHome, sessionId: string): Promise<void> {
  const file = join(there.folder, `${sessionId}.jsonl`);
  writeFileSync(file, readAsFile(there.path, sessionId));
  const ofDatabase = await there.json('info', sessionId);
  const ofFile = await there.json('info', file);
  const { sessionKey, agentId, window, ...rest } = ofDatabase;
  expect([typeof sessionKey, agentId]).toEqual(['string', 'main']);
  expect(window.percent).toBe(Math.max(1, Math.round((ofDatabase.tokens.context / window.tokens) * 100)));
  const { agentId: none, ...same } = ofFile;
  // The window is known from the entry, which a file alone does not have.
  expect(rest.recommendation.reason).toMatch(new RegExp(`tokens are ${window.percent}% of the window$`));
  expect(same.recommendation.reason).toMatch(/tokens leave room in most context windows$/);
  rest.recommendation.reason = same.recommendation.reason;
  expect({ none, ...rest }).toEqual({ ...same, none: null, path: there.path });
  expect(ofDatabase.turns.total).toBeGreaterThan(0);
  const clone = join(there.folder, 'clone.jsonl');
  const { clonedSessionId } = await there.json('clone', sessionId, '-o', clone);
  expect(await there.json('info', clone)).toEqual({
    ...ofFile,
    sessionId: clonedSessionId,
    path: clone,
    sizeBytes: readFileSync(clone).length,
  });
}

test.each(
  sample(['5ae5f53e-1a33-4851-aa5f-78e1df28e50b', '6eacbb33-4125-4ff8-ac61-644d1a9ddb89'], { gate: 1 }),
)('what OpenClaw wrote, %s: the same as a file of the same lines', HUNT, async (sessionId) => {
  await expectSameAsFile(makeFixtureHome(), sessionId);
});

test('a long session, a cleaned one and a tree: the same as a file of the same lines', LONG, async () => {
  await expectSameAsFile(home, ID);
  const tree = makeHome([{ key: KEY, events: composeTree() }]);
  await expectSameAsFile(tree, ID);
  const cleaned = makeTalkingHome();
  await cleaned.edit('--keep', '2', '--truncate', '50');
  await expectSameAsFile(cleaned, ID);
});

test('for people it is the same text, but for what names the place', async () => {
  const file = join(home.folder, `${ID}.jsonl`);
  writeFileSync(file, home.file());
  const textOf = async (name: string) =>
    (await home.occ('info', name)).stdout
      .split('\n')
      .filter((line) => !/^ {2}(Source|Key|Path):/.test(line))
      .map((line) => line.replace(/, \d+% of the window.*/, ''))
      .map((line) =>
        line.replace(/tokens (are \d+% of the window|leave room in most context windows)\./, 'tokens.'),
      )
      .join('\n');
  expect(await textOf(ID)).toBe(await textOf(file));
  const { stdout } = await home.occ('info', ID);
  expect(stdout).toMatch(/Source: OpenClaw, agent main[\s\S]*Key: agent:main:main[\s\S]*Path: .*\.sqlite/);
});

test('no byte, name or time of any file changes, whichever program has the database open', async () => {
  const before = takeSnapshot(home.folder);
  await home.json('info', ID);
  await home.json('info', KEY);
  await home.occProcess('info', ID);
  expect(takeSnapshot(home.folder)).toEqual(before);
  // What somebody said is still in the journal of SQLite then.
  const gateway = new DatabaseSync(home.path);
  appendTurn(gateway, ID, 'not yet in the main file');
  const open = readFiles(home.path);
  await home.json('info', ID);
  expect(readFiles(home.path)).toEqual(open);
  expect(open.map(([name]) => name)).toContain('openclaw-agent.sqlite-wal');
  gateway.close();
});

test('a message of a moment ago is counted, also while another program writes', async () => {
  const before = await home.json('info', ID);
  const gateway = new DatabaseSync(home.path);
  appendTurn(gateway, ID, 'just now');
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  const after = await home.json('info', ID);
  expect(after.turns.total).toBe(before.turns.total + 1);
  expect(after.sizeBytes).toBe(Buffer.byteLength(home.file()));
  holder.tell('let-go');
  expect(await holder.ended).toBe(0);
  gateway.close();
});

test('a session whose lines OpenClaw moved out, and one that is not there, are refused with the reason', async () => {
  const other = '00000000-0000-4000-8000-000000000009';
  expect(await home.refused('info', other)).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  changeDatabase(
    home.path,
    `PRAGMA foreign_keys = ON; DELETE FROM transcript_events WHERE session_id = '${ID}'`,
  );
  expect(await home.refused('info', ID)).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  changeDatabase(
    home.path,
    `INSERT INTO session_transcript_cold_archives VALUES
       ('${ID}', '${'0'.repeat(32)}', 'a.zst', '${'0'.repeat(64)}', 20, 9000, 900, 19, 1794767348365, 'file', NULL)`,
  );
  expect(await home.refused('info', ID)).toMatchObject({
    code: 'SESSION_UNSUPPORTED',
    message: expect.stringMatching(/cannot be read: .*cold storage/),
  });
});

test('a line that cannot be read is counted as broken, as in a file', async () => {
  changeDatabase(
    home.path,
    `UPDATE transcript_events SET event_json = 'no JSON', event_utf8_bytes = 7, event_zstd = NULL, navigation_json = NULL
     WHERE session_id = '${ID}' AND seq = 6`,
  );
  expect(await home.json('info', ID)).toMatchObject({ brokenLines: 1 });
  const { stdout } = await home.occ('info', ID);
  expect(stdout).toMatch(/Broken lines: 1/);
});
