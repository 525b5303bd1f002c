/** The database that OpenClaw wrote, cleaned in each way. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { takeSnapshot } from '../commands/snapshot.ts';
import { type DatabaseHome, type Json, makeFixtureHome } from './database-home.ts';
import {
  changeDatabase,
  queryOne,
  readAllRows,
  readAsFile,
  readEntryOf,
  readLinesOf,
  readMarksOf,
  readPathOf,
  readRowsOf,
} from './look-into.ts';

const MAIN = { key: 'agent:main:main', id: '5ae5f53e-1a33-4851-aa5f-78e1df28e50b' };
const THINK = { key: 'agent:main:think', id: '6eacbb33-4125-4ff8-ac61-644d1a9ddb89' };

let home: DatabaseHome;
beforeEach(() => {
  home = makeFixtureHome();
});

/** Calls and results of a session, and what people and the assistant said. */
function readConversation(path: string, sessionId: string) {
  const calls: string[] = [];
  const results: string[] = [];
  const texts: string[] = [];
  for (const { text } of readLinesOf(path, sessionId)) {
    const { message } = JSON.parse(text) as Json;
    if (message === undefined) continue;
    if (message.role === 'toolResult') results.push(message.toolCallId);
    else if (typeof message.content === 'string') texts.push(message.content);
    else {
      for (const block of message.content) {
        if (block.type === 'toolCall') calls.push(block.id);
        if (block.type === 'text') texts.push(block.text);
      }
    }
  }
  return { calls, results, texts };
}

test('nothing is wrong with it to begin with', () => {
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

const WAYS = [
  ['--strip-tools'],
  ['--strip-tools=aggressive'],
  ['--strip-tools=extreme'],
  ['--keep', '1'],
  ['--keep', '1', '--truncate', '100'],
  ['--keep', '0'],
  ['--truncate', '100'],
].map((flags) => ({ flags, name: flags.join(' ') }));
describe.each([MAIN, THINK])('$key', ({ key, id }) => {
  const other = id === MAIN.id ? THINK : MAIN;

  test.each(WAYS)('cleaned with $name', async ({ flags }) => {
    const before = {
      lines: readLinesOf(home.path, id),
      file: readAsFile(home.path, id),
      path: readPathOf(home.path, id),
      marks: readMarksOf(home.path, id),
      entry: readEntryOf(home.path, key),
      spoken: readConversation(home.path, id).texts,
      all: readAllRows(home.path),
      other: readRowsOf(home.path, other.id, other.key),
    };
    expect(await home.json('edit', id, ...flags, '--dry-run')).toMatchObject({
      changed: false,
      dryRun: true,
    });
    expect(readAllRows(home.path)).toEqual(before.all);

    const done = await home.json('edit', id, ...flags);
    if (!done.changed) {
      expect(done).not.toHaveProperty('backupPath');
      expect(readAllRows(home.path)).toEqual(before.all);
      return;
    }
    expect(findDatabaseFaults(home.path)).toEqual([]);
    expect(readRowsOf(home.path, other.id, other.key)).toEqual(before.other);

    const after = readLinesOf(home.path, id);
    const was = new Map(before.lines.map((line) => [line.seq, line]));
    for (const line of after) {
      const old = was.get(line.seq)!;
      if (line.text === old.text) expect(line.row).toEqual(old.row);
      else expect(line).toMatchObject({ isCompressed: false, row: { created_at: old.row.created_at } });
    }
    const left = new Set(after.map(({ seq }) => seq));
    expect(readPathOf(home.path, id)).toEqual(before.path.filter((seq) => left.has(seq)));

    const marks = readMarksOf(home.path, id);
    expect(marks.generation).toMatch(/^[0-9a-f]{32}$/);
    expect(marks.generation).not.toBe(before.marks.generation);
    expect(marks.updatedAt).toBeGreaterThan(Math.max(before.marks.updatedAt, before.marks.observedAt));
    expect(marks).toMatchObject({ leaf: before.marks.leaf, needsRebuild: 0 });

    const { valid, entry } = readEntryOf(home.path, key);
    expect(valid).toBe(before.entry.valid);
    const { contextBudgetStatus: _, ...kept } = before.entry.entry;
    expect(entry).toEqual({ ...kept, totalTokens: done.tokens.after, totalTokensFresh: false });
    expect(done.tokens.after).toBeLessThan(before.entry.entry.totalTokens as number);

    const { calls, results, texts } = readConversation(home.path, id);
    expect(calls).toEqual(results);
    expect(calls).toHaveLength(done.statistics.toolCallsOriginal - done.statistics.toolCallsRemoved);
    expect(texts).toEqual(before.spoken);

    expect(done.backupPath).toBe(join(home.kept, `${id}.backup.1.jsonl`));
    expect(home.backups(id)).toEqual({ 1: before.file });
    expect(home.journal(id)).toEqual([
      {
        kind: 'edit',
        backup: 1,
        at: expect.stringMatching(/^\d{4}-/),
        backupBytes: Buffer.byteLength(before.file),
        resultBytes: Buffer.byteLength(readAsFile(home.path, id)),
        resultHash: '',
        generations: { before: before.marks.generation, after: marks.generation },
        counters: {
          totalTokens: before.entry.entry.totalTokens,
          totalTokensFresh: true,
          contextBudgetStatus: before.entry.entry.contextBudgetStatus,
        },
      },
    ]);
    expect(readdirSync(home.kept).sort()).toEqual([`${id}.backup.1.jsonl`, `${id}.occ.json`]);
    expect(readdirSync(join(home.path, '..'))).toEqual(['openclaw-agent.sqlite']);
  });
});

test('each way removes or shortens something', LONG, async () => {
  for (const { flags, name } of WAYS) {
    const { changed } = await makeFixtureHome().json('edit', MAIN.id, ...flags);
    expect(changed, name).toBe(true);
  }
});

test('a line that is not touched stays compressed', async () => {
  await home.json('edit', MAIN.id, '--keep', '1', '--truncate', '0');
  expect(readLinesOf(home.path, MAIN.id).filter(({ isCompressed }) => isCompressed)).toHaveLength(1);
});

test('cleaned again: it says that there is nothing to clean, and no byte of anything changes', async () => {
  await home.json('edit', MAIN.id, '--strip-tools=extreme');
  const before = takeSnapshot(home.folder);
  const again = await home.json('edit', MAIN.id, '--strip-tools=extreme');
  expect(again).toMatchObject({ changed: false, note: expect.stringContaining('Nothing to clean') });
  const after = takeSnapshot(home.folder);
  // Locks and the files of an open database came and went, which the folders' times show.
  const files = (snapshot: Record<string, string>) =>
    Object.entries(snapshot).filter(([, what]) => !what.endsWith(' folder'));
  expect(files(after)).toEqual(files(before));
});

test('nothing to clean: no lock, no backup, no journal and no folder is left', async () => {
  await home.json('edit', MAIN.id, '--strip-tools=extreme');
  rmSync(home.sessions, { recursive: true });
  const bytes = readFileSync(home.path);
  await home.json('edit', MAIN.id, '--strip-tools=extreme');
  expect(readFileSync(home.path)).toEqual(bytes);
  expect(readdirSync(join(home.sessions, '..'))).toEqual(['agent']);
});

test('nothing to clean where the folder was there already: it stays, empty', async () => {
  await home.json('edit', MAIN.id, '--strip-tools=extreme');
  rmSync(home.sessions, { recursive: true });
  mkdirSync(home.sessions);
  await home.json('edit', MAIN.id, '--strip-tools=extreme');
  expect(readdirSync(home.sessions)).toEqual([]);
});

test('a restore without a backup leaves nothing', async () => {
  expect((await home.refused('restore', MAIN.id)).code).toBe('RESTORE_FAILED');
  expect(readdirSync(join(home.sessions, '..'))).toEqual(['agent']);
});

test('an entry that OpenClaw held to be valid stays so, one that it did not is not made so', async () => {
  changeDatabase(home.path, `UPDATE session_nodes SET entry_valid = 1 WHERE session_key = '${MAIN.key}'`);
  await home.json('edit', MAIN.id, '--strip-tools=extreme');
  expect(readEntryOf(home.path, MAIN.key).valid).toBe(1);
  await home.json('edit', THINK.id, '--strip-tools=extreme');
  expect(readEntryOf(home.path, THINK.key).valid).toBe(0);
});

test('a database without a WAL, as on a network volume, stays one', async () => {
  changeDatabase(home.path, 'PRAGMA journal_mode = DELETE');
  expect(await home.json('edit', MAIN.id, '--strip-tools=extreme')).toMatchObject({ changed: true });
  expect(findDatabaseFaults(home.path)).toEqual([]);
  expect(queryOne(home.path, 'PRAGMA journal_mode')).toEqual({ journal_mode: 'delete' });
  expect(readdirSync(join(home.path, '..'))).toEqual(['openclaw-agent.sqlite']);
});

test('named by its key, by the beginning of its id or not at all, it is the same session', LONG, async () => {
  for (const words of [[MAIN.key], [MAIN.id.slice(0, 8)]]) {
    const one = makeFixtureHome();
    expect(await one.json('edit', ...words, '--strip-tools=extreme')).toMatchObject({ sessionId: MAIN.id });
  }
  expect(await home.json('edit', '--strip-tools=extreme')).toMatchObject({ sessionId: THINK.id });
});

test('the process says for people what it did, and where the backup is', async () => {
  const { code, stdout, stderr } = await home.occProcess('edit', MAIN.id, '--strip-tools=extreme');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`${MAIN.id}.backup.1.jsonl`);
});
