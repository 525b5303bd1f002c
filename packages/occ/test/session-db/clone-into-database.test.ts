/** A clone among the sessions of the database. */
import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { type Json, makeFixtureHome } from './database-home.ts';
import {
  changeDatabase,
  lookInto,
  readAllRows,
  readAsFile,
  readEntryOf,
  readLinesOf,
  readMarksOf,
  readPathOf,
  readRowsOf,
} from './look-into.ts';
import { ID, KEY, makeTalkingHome, type TalkingHome } from './talking-home.ts';

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
});

const parseLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Json);

function search(sessionId: string, word: string): number {
  return lookInto(home.path, (database) => {
    const found = database.prepare(
      'SELECT count(*) AS count FROM session_transcript_fts WHERE session_transcript_fts MATCH ? AND session_id = ?',
    );
    return Number(found.get(word, sessionId)?.count);
  });
}

test('an exact copy but for the id, under a key of its own; the session is not touched', async () => {
  const before = readAllRows(home.path);
  const done = await home.json('clone', ID);
  const { clonedSessionId, sessionKey } = done;
  expect(done).toMatchObject({
    success: true,
    mode: 'clone',
    sourceSessionId: ID,
    sessionKey: `agent:main:clone:${clonedSessionId}`,
    clonedSessionPath: home.path,
    resumeCommand: `openclaw agent --session-id ${clonedSessionId} --message "..."`,
  });
  expect(clonedSessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

  const [header, ...rest] = readLinesOf(home.path, clonedSessionId);
  const [oldHeader, ...old] = readLinesOf(home.path, ID);
  expect(JSON.parse(header!.text)).toEqual({
    ...JSON.parse(oldHeader!.text),
    id: clonedSessionId,
    clonedFrom: ID,
    clonedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const rowsOf = (lines: typeof rest) => lines.map(({ row: { session_id: _, ...row } }) => row);
  expect(rowsOf(rest)).toEqual(rowsOf(old));
  expect(rest.filter(({ isCompressed }) => isCompressed).length).toBeGreaterThan(2);
  expect(readPathOf(home.path, clonedSessionId)).toEqual(readPathOf(home.path, ID));
  expect(findDatabaseFaults(home.path)).toEqual([]);

  const after = readAllRows(home.path);
  // OpenClaw's own list of keys that it has yet to look at.
  const { session_canonical_validation_pending: _, ...tables } = before;
  for (const [table, rows] of Object.entries(tables)) {
    const own = [clonedSessionId, sessionKey];
    const others = after[table]!.filter((row) => !own.some((name) => Object.values(row).includes(name)));
    expect(others, table).toEqual(rows);
  }
  const { valid, entry } = readEntryOf(home.path, sessionKey);
  expect(valid).toBe(1);
  expect(entry).toEqual({
    sessionId: clonedSessionId,
    updatedAt: expect.any(Number),
    delivery: { kind: 'none' },
  });
  const marks = readMarksOf(home.path, clonedSessionId);
  expect(marks).toMatchObject({ leaf: readMarksOf(home.path, ID).leaf, needsRebuild: 0 });
  expect(marks.generation).not.toBe(readMarksOf(home.path, ID).generation);
  expect(search(clonedSessionId, 'Question')).toBe(search(ID, 'Question'));
  expect(search(ID, 'Question')).toBeGreaterThan(0);
  expect(existsSync(home.sessions)).toBe(false);
  expect(existsSync(`${home.path}-wal`)).toBe(false);
});

test('cleaned on the way, it is what an edit would have left', async () => {
  const before = readRowsOf(home.path, ID, KEY);
  const planned = await home.json('clone', ID, '--strip-tools=extreme', '--dry-run');
  const done = await home.json('clone', ID, '--strip-tools=extreme');
  expect(planned).toMatchObject({ changed: false, dryRun: true, tokens: done.tokens });
  expect(planned.statistics).toEqual(done.statistics);
  expect(done.statistics.sizeCloned).toBe(Buffer.byteLength(readAsFile(home.path, done.clonedSessionId)));
  expect(readRowsOf(home.path, ID, KEY)).toEqual(before);
  expect(findDatabaseFaults(home.path)).toEqual([]);
  await home.edit('--strip-tools=extreme');
  const [, ...cloned] = parseLines(readAsFile(home.path, done.clonedSessionId));
  expect(cloned).toEqual(parseLines(home.file()).slice(1));
  expect(search(done.clonedSessionId, 'Question')).toBe(search(ID, 'Question'));
});

test('it is listed, found by its key, edited, restored and cloned itself', async () => {
  const { clonedSessionId, sessionKey } = await home.json('clone', ID);
  const listed = (await home.json('list')) as Json[];
  expect(listed.map(({ sessionId }) => sessionId)).toEqual([clonedSessionId, ID]);
  expect(listed[0]).toMatchObject({ sessionKey, storage: 'sqlite', path: home.path, agentId: 'main' });

  const whole = readAsFile(home.path, clonedSessionId);
  const original = home.file();
  expect(await home.json('edit', sessionKey, '--strip-tools=extreme')).toMatchObject({
    changed: true,
    sessionId: clonedSessionId,
  });
  const second = await home.json('clone', sessionKey);
  const [header] = parseLines(readAsFile(home.path, second.clonedSessionId));
  expect(header).toMatchObject({ id: second.clonedSessionId, clonedFrom: clonedSessionId });
  expect(Object.keys(header).filter((name) => name.startsWith('cloned'))).toEqual(['clonedFrom', 'clonedAt']);
  await home.json('restore', clonedSessionId);
  expect(readAsFile(home.path, clonedSessionId)).toBe(whole);
  expect(home.file()).toBe(original);
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('of each session that OpenClaw wrote', async () => {
  const fixture = makeFixtureHome();
  for (const key of ['agent:main:main', 'agent:main:think']) {
    const { sourceSessionId, clonedSessionId } = await fixture.json('clone', key);
    expect(parseLines(readAsFile(fixture.path, clonedSessionId)).slice(1)).toEqual(
      parseLines(readAsFile(fixture.path, sourceSessionId)).slice(1),
    );
  }
  expect(findDatabaseFaults(fixture.path)).toEqual([]);
});

test('rows with gaps between their numbers are numbered from 0', async () => {
  await home.edit('--keep', '2', '--truncate', '0');
  const { clonedSessionId } = await home.json('clone', ID);
  const seqs = readLinesOf(home.path, clonedSessionId).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index));
  expect(parseLines(readAsFile(home.path, clonedSessionId)).slice(1)).toEqual(
    parseLines(home.file()).slice(1),
  );
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('it says for people where it is and how to go on', async () => {
  const { code, stdout, stderr } = await home.occProcess('clone', ID);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const id = /→ ([0-9a-f-]{36})/.exec(stdout)?.[1];
  expect(stdout).toContain(`Key: agent:main:clone:${id}`);
  expect(stdout).toContain(`Resume: openclaw agent --session-id ${id} --message "..."`);
});

describe('refused, and nothing is left', () => {
  async function expectRefused(flags: string[], error: object): Promise<void> {
    const before = takeFileSnapshot(home.folder);
    expect(await home.refused('clone', ID, ...flags)).toMatchObject(error);
    expect(takeFileSnapshot(home.folder)).toEqual(before);
  }

  test('--no-register without --output', async () => {
    for (const flags of [['--no-register'], ['--no-register', '--dry-run']])
      await expectRefused(flags, {
        code: 'USAGE',
        message: expect.stringContaining('--no-register needs --output'),
        hint: expect.stringContaining('--output'),
      });
  });

  test('a dry run', async () => {
    const before = takeFileSnapshot(home.folder);
    const planned = await home.json('clone', ID, '--dry-run');
    expect(planned).not.toHaveProperty('clonedSessionId');
    expect(planned).not.toHaveProperty('resumeCommand');
    expect(takeFileSnapshot(home.folder)).toEqual(before);
  });

  test('a version of the database that is not known, with a hint that helps', async () => {
    changeDatabase(home.path, 'PRAGMA user_version = 24', 'UPDATE schema_meta SET schema_version = 24');
    await expectRefused([], {
      code: 'DATABASE_UNSUPPORTED',
      message: expect.stringContaining('24'),
      hint: expect.stringMatching(/--force.*Use --output to write the clone to a file/),
    });
    await expectRefused(['--dry-run'], { code: 'DATABASE_UNSUPPORTED' });
    const target = `${home.folder}/out.jsonl`;
    expect(await home.json('clone', ID, '--output', target, '--dry-run')).toMatchObject({ dryRun: true });
    expect(await home.json('clone', ID, '--output', target)).toMatchObject({ clonedSessionPath: target });
    expect(await home.json('clone', ID, '--force', '--dry-run')).toMatchObject({ dryRun: true });
    const { clonedSessionId } = await home.json('clone', ID, '--force');
    expect(parseLines(readAsFile(home.path, clonedSessionId)).slice(1)).toEqual(
      parseLines(home.file()).slice(1),
    );
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });

  test('a session with a structure that is not known: said of a clone, not of a change', async () => {
    changeDatabase(
      home.path,
      `UPDATE session_transcript_index_state SET leaf_event_id = 'else' WHERE session_id = '${ID}'`,
    );
    for (const flags of [[], ['--dry-run']])
      await expectRefused(flags, {
        code: 'SESSION_UNSUPPORTED',
        message: expect.stringContaining('cannot be cloned'),
        hint: expect.stringMatching(/^Nothing was written\. .*occ clone -o/),
      });
  });

  test('a session whose lines OpenClaw moved out of the database', async () => {
    changeDatabase(
      home.path,
      `PRAGMA foreign_keys = ON; DELETE FROM transcript_events WHERE session_id = '${ID}'`,
      `INSERT INTO session_transcript_cold_archives VALUES
         ('${ID}', '${'0'.repeat(32)}', 'a.zst', '${'0'.repeat(64)}', 20, 9000, 900, 19, 1794767348365, 'file', NULL)`,
    );
    for (const flags of [[], ['--output', `${home.folder}/out.jsonl`], ['--dry-run']])
      await expectRefused(flags, {
        code: 'SESSION_UNSUPPORTED',
        message: expect.stringMatching(/cannot be read: .*cold storage/),
      });
  });
});

test('OpenClaw tells the model the id of its session: no thinking that is bound to what came before counts in a copy', async () => {
  const model = { provider: 'anthropic', model: 'claude-opus-5-5' };
  const thought = { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'bound' };
  home.say('thinking', [
    { role: 'user', content: 'Think.' },
    { role: 'assistant', ...model, content: [thought, { type: 'text', text: 'I did.' }], stopReason: 'stop' },
  ]);
  const { clonedSessionId } = await home.json('clone', ID);
  const copy = readAsFile(home.path, clonedSessionId);
  expect(copy).not.toContain('"type":"thinking"');
  expect(copy).toContain('I did.');
  expect(readAsFile(home.path, ID)).toContain('"thinkingSignature":"bound"');
  expect(findDatabaseFaults(home.path)).toEqual([]);
});
