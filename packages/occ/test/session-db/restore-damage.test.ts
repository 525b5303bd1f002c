/** Backups that are not what they were, and sessions that somebody else rewrote. */
import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import {
  addSessions,
  type MadeSession,
  makeAgentDatabase,
} from '../../../sessions/test/openclaw-db/setup/make-database.ts';
import { appendTurn } from './append-turn.ts';
import { type Json, makeHome } from './database-home.ts';
import { changeDatabase } from './look-into.ts';
import { ID, KEY, makeEvents, makeTalkingHome, type TalkingHome, talkIn } from './talking-home.ts';

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
});

const backupPath = (number: number) => join(home.kept, `${ID}.backup.${number}.jsonl`);

function readFiles(): Record<string, string> {
  const names = readdirSync(home.kept);
  const files = names.map((name) => [name, readFileSync(join(home.kept, name), 'latin1')]);
  return { ...Object.fromEntries(files), database: readFileSync(home.path, 'latin1') };
}

async function expectRefused(reason: RegExp, ...flags: string[]): Promise<string> {
  const before = readFiles();
  const { code, message, hint } = await home.refused('restore', ID, ...flags);
  expect(code).toBe('RESTORE_FAILED');
  expect(message).toMatch(reason);
  expect(hint).toContain('Nothing was changed');
  expect(readFiles()).toEqual(before);
  return message;
}

describe('a damaged backup', () => {
  test.each([
    ['torn in the middle of a line', (path: string, size: number) => truncateSync(path, size - 40)],
    ['torn at the end of a line', (path: string, text: string) => writeFileSync(path, text)],
    ['grown', (path: string) => appendFileSync(path, '{"type":"custom"}\n')],
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['of other bytes', (path: string) => writeFileSync(path, Buffer.alloc(500, 7))],
  ] as [string, (path: string, how: Json) => void][])('%s is refused and named', async (how, damage) => {
    await home.edit('--strip-tools=extreme');
    const text = readFileSync(backupPath(1), 'utf8');
    const withoutLast = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    damage(backupPath(1), how.endsWith('end of a line') ? withoutLast : Buffer.byteLength(text));
    expect(await expectRefused(/is damaged/)).toContain(backupPath(1));
  });

  test('is known by its lines where no record of it is left', async () => {
    await home.edit('--strip-tools=extreme');
    rmSync(join(home.kept, `${ID}.occ.json`));
    truncateSync(backupPath(1), readFileSync(backupPath(1)).length - 40);
    await expectRefused(/is damaged: line \d+ cannot be read/);
  });

  test(
    'made after the chosen one is named too; moved away, what the session still has is kept',
    LONG,
    async () => {
      const original = home.file();
      await home.edit('--keep', '3', '--truncate', '0');
      const said = home.say('in between');
      await home.edit('--keep', '2', '--truncate', '0');
      truncateSync(backupPath(2), 700);
      expect(await expectRefused(/is damaged/, '--backup', '1')).toContain(backupPath(2));
      rmSync(backupPath(2));
      await home.restore(1);
      // Of what was said, the tokens on the last answer were set by the second edit.
      expect(home.file().startsWith(original)).toBe(true);
      expect(home.file().slice(original.length).split('\n')).toHaveLength(said.split('\n').length);
    },
  );
});

describe('a backup of another session', () => {
  test('is refused', async () => {
    await home.edit('--strip-tools=extreme');
    const other = '00000000-0000-4000-8000-000000000002';
    const events = [...generateEvents({ seed: 2, turns: 3, resultLength: 300, sessionId: other })];
    rmSync(join(home.kept, `${ID}.occ.json`));
    writeFileSync(backupPath(1), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect(await expectRefused(/another session/)).toContain(backupPath(1));
  });

  test('is refused also where that session is a clone, whose lines have the same ids', LONG, async () => {
    await home.edit('--keep', '3', '--truncate', '0');
    const { clonedSessionId } = await home.json('clone', ID);
    const database = new DatabaseSync(home.path);
    appendTurn(database, clonedSessionId, 'in the clone');
    database.close();
    await home.json('edit', clonedSessionId, '--strip-tools=extreme');
    copyFileSync(join(home.kept, `${clonedSessionId}.backup.1.jsonl`), backupPath(2));
    await expectRefused(/another session/);
    // Behind the chosen one it is passed over.
    await home.json('restore', ID, '--backup', '1');
    expect(home.file()).toBe(home.backups(ID)[1]);
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });

  test('of lines that the session never had is refused', async () => {
    await home.edit('--strip-tools=extreme');
    rmSync(join(home.kept, `${ID}.occ.json`));
    const events = [...generateEvents({ seed: 99, turns: 3, resultLength: 300, sessionId: ID })];
    writeFileSync(backupPath(1), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await expectRefused(/no line in common/);
  });

  test('of lines that the session never had, after the chosen one, is skipped', LONG, async () => {
    const original = home.file();
    await home.edit('--strip-tools=extreme');
    const said = home.say('since');
    const events = [...generateEvents({ seed: 99, turns: 3, resultLength: 300, sessionId: ID })];
    writeFileSync(backupPath(2), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await home.restore(1);
    expect(home.file()).toBe(original + said);
  });
});

describe('a session that was rewritten meanwhile', () => {
  /** As OpenClaw does: other rows under the same id, and another generation. */
  function rewriteSession(lines: readonly string[]): MadeSession[] {
    const events = lines.map((line) => JSON.parse(line) as object);
    rmSync(home.path);
    const made = makeAgentDatabase(home.path, { sessions: [{ key: KEY, sessionId: ID, events }] });
    changeDatabase(home.path, `UPDATE transcript_rewrite_watermarks SET generation = '${'cd'.repeat(16)}'`);
    return made;
  }
  const linesNow = () => home.file().split('\n').slice(0, -1);

  test('trimmed to its last lines: the backup brings the others back', async () => {
    const original = home.file();
    await home.edit('--strip-tools=extreme');
    const said = home.say('since');
    const [header, ...lines] = linesNow();
    const [first, ...rest] = lines.slice(-6);
    rewriteSession([header!, JSON.stringify({ ...JSON.parse(first!), parentId: null }), ...rest]);
    await home.restore();
    expect(home.file()).toBe(original + said);
  });

  test('trimmed to what was said since: no line is common, so that it is left alone', async () => {
    await home.edit('--strip-tools=extreme');
    home.say('since');
    const [header, ...lines] = linesNow();
    const [first, ...rest] = lines.slice(-4);
    rewriteSession([header!, JSON.stringify({ ...JSON.parse(first!), parentId: null }), ...rest]);
    await expectRefused(/no line in common/);
  });

  test('cut back to before its end: it would not go on from where it is, so that it is left alone', async () => {
    await home.edit('--strip-tools=extreme');
    rewriteSession(linesNow().slice(0, -2));
    await expectRefused(/would not continue from the end of the session/);
  });

  test(
    'what was said since hangs from a line that the backup does not have: it is left alone',
    LONG,
    async () => {
      await home.edit('--strip-tools=extreme');
      await home.restore(1);
      const call = linesNow().findIndex((line) => line.includes('"toolCall"'));
      const { id } = JSON.parse(linesNow()[call]!) as Json;
      home.say('', [{ type: 'message', parentId: id, message: { role: 'user', content: 'Instead' } }]);
      await expectRefused(/would not continue|refers to lines that/, '--backup', '2');
      // Also where as many lines hang from nothing as before.
      const [header, , , , ...rest] = linesNow();
      rewriteSession([header!, ...rest]);
      await expectRefused(/refers to lines that the backup does not have/, '--backup', '2');
    },
  );

  test('a compaction since keeps a line that the backup does not have: it is left alone', async () => {
    await home.edit('--strip-tools=extreme');
    await home.restore(1);
    const call = linesNow().findLast((line) => line.includes('"toolCall"'));
    const { id: firstKeptEntryId } = JSON.parse(call!) as Json;
    home.say('', [{ type: 'compaction', summary: 'So far', firstKeptEntryId, tokensBefore: 9000 }]);
    await expectRefused(/refers to lines that the backup does not have/, '--backup', '2');
    await home.restore(1);
  });

  test('an older copy of the database in its place: the backup that has more stays', LONG, async () => {
    const copy = readFileSync(home.path);
    home.say('behind the copy');
    const whole = home.file();
    await home.edit('--strip-tools=extreme');
    writeFileSync(home.path, copy);
    await home.edit('--strip-tools=extreme');
    expect(home.backups(ID)[1]).toBe(whole);
  });
});

test('lines without ids are distinguished by content and time', LONG, async () => {
  const linear = [...makeEvents(4)].map((event) => {
    const { id, parentId: _, ...rest } = event as Json;
    return rest.type === 'session' ? { ...rest, id } : rest;
  });
  home = talkIn(makeHome([{ key: KEY, sessionId: ID, events: linear, entry: { totalTokens: 90_000 } }]));
  const original = home.file();
  await home.json('edit', ID, '--keep', '1', '--truncate', '0');
  expect(home.file()).not.toBe(original);
  await home.restore();
  expect(home.file()).toBe(original);
  await home.restore();
  await home.restore(1);
  expect(home.file()).toBe(original);
});

test('a message that another program put into the middle is not dropped in silence', async () => {
  await home.edit('--strip-tools=extreme');
  const events: Json[] = home
    .file()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const last = events.at(-1)!;
  const added = {
    type: 'message',
    id: '00000000-0000-4000-8000-0000000000ff',
    parentId: last.parentId,
    timestamp: last.timestamp,
    message: { role: 'user', content: 'do not forget me', timestamp: 1_794_767_344_000 },
  };
  const rewritten = [...events.slice(0, -1), added, { ...last, parentId: added.id }];
  const database = new DatabaseSync(home.path);
  database.exec('DELETE FROM session_nodes; DELETE FROM session_transcript_fts_rows');
  addSessions(database, [{ key: KEY, sessionId: ID, events: rewritten }]);
  database.close();
  expect(findDatabaseFaults(home.path)).toEqual([]);
  await expectRefused(/is in no backup, and would be lost/);
  expect(home.file()).toContain('do not forget me');
});
