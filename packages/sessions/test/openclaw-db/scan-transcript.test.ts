import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { scanDatabaseTranscript } from '../../src/openclaw-db/events/scan-transcript.ts';
import { openDatabaseForReading, type ReadingDatabase } from '../../src/openclaw-db/open-database.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { activePath } from '../../src/transcript/tree/tree.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { composeSession } from './setup/compose-session.ts';
import { addOpening, addTurn } from './setup/compose-turns.ts';
import { makeAgentDatabase } from './setup/make-database.ts';

const ID = '00000000-0000-4000-8000-000000000001';

function compose(): object[] {
  const session = composeSession({ seed: 2, sessionId: ID });
  addOpening(session);
  addTurn(session, 0, { resultLength: 3000, contextUsage: true });
  session.addUser('Grüße 👋 \u2028 "quoted"');
  session.addReset();
  addTurn(session, 1, { resultLength: 1200, thinking: true });
  session.addLeaf(session.leaf);
  return session.events;
}

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 'openclaw-agent.sqlite');
});

function make(events: Iterable<object | string>, compress: boolean | (() => boolean) = true): void {
  makeAgentDatabase(path, { sessions: [{ key: 'agent:main:main', sessionId: ID, events, compress }] });
}

function scan<T>(look: (scanned: ReturnType<typeof scanDatabaseTranscript>, db: ReadingDatabase) => T): T {
  const database = openDatabaseForReading(path);
  try {
    return look(scanDatabaseTranscript(database, ID), database);
  } finally {
    database.close();
  }
}

function readAsFile(bytes: Buffer): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  return builder.finish(splitter.offset, 'openclaw');
}

function describeLines(transcript: Transcript) {
  const entries = Array.from({ length: transcript.length }, (_, index) => ({
    id: transcript.idOf(index),
    kind: transcript.kindOf(index),
    role: transcript.roleOf(index),
    parent: transcript.parentOf(index),
    start: transcript.startOf(index),
    end: transcript.endOf(index),
    tokens: transcript.usageTokensOf(index),
  }));
  return { entries, byteLength: transcript.byteLength, path: activePath(transcript).entries };
}

test.each([false, true, () => true])('is what a file of the same lines is (compressed: %s)', (compress) => {
  const events = compose();
  make(events, compress);
  const lines = events.map((event) => JSON.stringify(event));
  const file = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  scan(({ transcript, seqs, readBytes, readLine }) => {
    expect(describeLines(transcript)).toEqual(describeLines(readAsFile(file)));
    expect(seqs).toEqual(lines.map((_, seq) => seq));
    for (const [index, line] of lines.entries()) {
      expect(readBytes(index).toString()).toBe(line);
      expect(readLine(index)).toBe(Buffer.from(line).toString('latin1'));
    }
    expect(transcript.problems).toEqual([]);
  });
});

test('numbers of rows need not be without gaps', () => {
  make(compose());
  const database = new DatabaseSync(path);
  database.exec('PRAGMA foreign_keys = ON; DELETE FROM transcript_events WHERE seq IN (2, 5)');
  database.close();
  scan(({ transcript, seqs, readBytes }) => {
    expect(seqs.slice(0, 5)).toEqual([0, 1, 3, 4, 6]);
    expect(JSON.parse(readBytes(4).toString()).id).toBe(transcript.idOf(4));
  });
});

test('a row whose JSON is spread over several lines is one line of the file', () => {
  make(compose(), false);
  const database = new DatabaseSync(path);
  const { json } = database.prepare('SELECT event_json AS json FROM transcript_events WHERE seq = 4').get()!;
  const spread = JSON.stringify(JSON.parse(String(json)), null, 2);
  database
    .prepare('UPDATE transcript_events SET event_json = ?, event_utf8_bytes = ? WHERE seq = 4')
    .run(spread, Buffer.byteLength(spread));
  database.close();
  scan(({ transcript, readLine }) => {
    expect(readLine(4)).not.toContain('\n');
    expect(transcript.endOf(4) - transcript.startOf(4)).toBe(readLine(4).length);
    expect(transcript.startOf(5)).toBe(transcript.endOf(4) + 1);
  });
});

test('a row that is no JSON is a problem with its number, and the others are read', () => {
  make(compose(), false);
  const database = new DatabaseSync(path);
  database.exec("UPDATE transcript_events SET event_json = '{ no' WHERE seq = 6");
  database.close();
  scan(({ transcript }) => {
    expect(transcript.problems).toMatchObject([{ line: 7, problem: 'broken' }]);
    expect(transcript.length).toBe(compose().length);
  });
});

test('a line that is too long to be held keeps its place, and is never made a string', () => {
  make(compose(), false);
  const database = new DatabaseSync(path);
  database.exec(`UPDATE transcript_events SET event_json =
    json_insert(event_json, '$.filler', printf('%.*c', 64 * 1024 * 1024, 'x')) WHERE seq = 6`);
  database.close();
  scan(({ transcript }) => {
    expect(transcript.problems).toMatchObject([{ line: 7, problem: 'oversize' }]);
    expect(transcript.parentOf(7)).toBe(6);
    expect(transcript.endOf(6) - transcript.startOf(6)).toBeGreaterThan(64 * 1024 * 1024);
    expect(activePath(transcript).entries).toContain(6);
  });
});

test('a damaged compressed line is an error that names the database', () => {
  make(compose(), () => true);
  const database = new DatabaseSync(path);
  database.exec("UPDATE transcript_events SET event_zstd = x'28b52ffd0102' WHERE event_zstd IS NOT NULL");
  database.close();
  expect(() => scan(() => {})).toThrow(
    expect.objectContaining({ code: 'DATABASE_UNREADABLE', message: expect.stringContaining(path) }),
  );
});

test('a session without lines, and one that is not there, are empty', () => {
  make([]);
  scan(({ transcript, seqs }, database) => {
    expect([transcript.length, transcript.byteLength, seqs]).toEqual([0, 0, []]);
    expect(scanDatabaseTranscript(database, 'nobody').transcript.length).toBe(0);
  });
});
