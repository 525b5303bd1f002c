import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { iterateEventLines, iterateEvents } from '../../src/openclaw-db/events/event-text.ts';
import { measureColdArchive } from '../../src/openclaw-db/look-into-database.ts';
import { readOpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { copyFixture } from './folder-state.ts';
import { makeAgentDatabase } from './setup/make-database.ts';

const MAIN = '5ae5f53e-1a33-4851-aa5f-78e1df28e50b';

test('the lines from the last one back are the lines of the transcript, compressed ones too', () => {
  const { path } = copyFixture();
  const [forwards, backwards] = readOpenclawDatabase(path, (database) => [
    Array.from(iterateEventLines(database, MAIN), String),
    Array.from(iterateEvents(database, MAIN, 'backwards'), (bytes) => `${bytes}\n`),
  ]);
  expect(backwards).toHaveLength(22);
  expect(backwards).toEqual(forwards.toReversed());
});

test('a line that is not needed is not read: a damaged one causes no error', () => {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  const message = (text: string) => ({ type: 'message', id: text, message: { role: 'user', content: text } });
  const sessionId = 'one';
  makeAgentDatabase(path, {
    sessions: [
      { key: 'agent:main:main', sessionId, events: [message('a'), message('b')], compress: () => true },
    ],
  });
  const db = new DatabaseSync(path);
  db.exec("UPDATE transcript_events SET event_zstd = x'00' WHERE seq = 0");
  db.close();
  const last = readOpenclawDatabase(path, (database) => {
    for (const bytes of iterateEvents(database, sessionId, 'backwards')) return String(bytes);
    return undefined;
  });
  expect(JSON.parse(last!)).toMatchObject({ id: 'b' });
});

test('no lines, no archive', () => {
  const { path } = copyFixture();
  readOpenclawDatabase(path, (database) => {
    expect([...iterateEvents(database, 'nobody', 'backwards')]).toEqual([]);
    expect(measureColdArchive(database, MAIN)).toBeUndefined();
  });
});

test('the size of an archive counts the end of its last line too', () => {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  makeAgentDatabase(path, { sessions: [{ key: 'agent:main:main', sessionId: 'cold', events: [] }] });
  const db = new DatabaseSync(path);
  db.exec(
    `INSERT INTO session_transcript_cold_archives VALUES
       ('cold', 'g', 'archive', '${'a'.repeat(64)}', 3, 4711, 99, 2, 1, 'file', NULL)`,
  );
  db.close();
  expect(readOpenclawDatabase(path, (database) => measureColdArchive(database, 'cold'))).toBe(4712);
});
