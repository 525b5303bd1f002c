/** A home with one session in its database, in which somebody talks between the commands. */
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { appendTurn } from './append-turn.ts';
import { type DatabaseHome, type Json, makeHome } from './database-home.ts';
import { changeDatabase, readAsFile, readEntryOf, readLinesOf, readMarksOf } from './look-into.ts';

export const ID = '00000000-0000-4000-8000-000000000001';
export const KEY = 'agent:main:main';
export const COUNTERS = {
  totalTokens: 90_000,
  totalTokensFresh: true,
  contextBudgetStatus: { state: 'warned' },
};

export interface TalkingHome extends DatabaseHome {
  /** The session as a file would have it. */
  file(): string;
  /** Says a turn as OpenClaw does. Returns its lines as a file would have them. */
  say(about: string, messages?: object[]): string;
  /** Cleans the session, which must have something to clean. Returns the number of the backup. */
  edit(...flags: string[]): Promise<number>;
  /** Puts a backup back and checks all that holds of every restore. */
  restore(number?: number, ...flags: string[]): Promise<Json>;
  counters(): Json;
}

export function makeTalkingHome(events: Iterable<object> = makeEvents(), folder?: string): TalkingHome {
  const home = makeHome([{ key: KEY, sessionId: ID, events, entry: COUNTERS }], folder);
  return talkIn(home);
}

export function makeEvents(turns = 8): Iterable<object> {
  return generateEvents({ seed: 11, turns, rounds: 1, resultLength: 1500, sessionId: ID });
}

export function talkIn(home: DatabaseHome): TalkingHome {
  const file = () => readAsFile(home.path, ID);
  return {
    ...home,
    file,
    say: (about, messages) => {
      const before = file();
      const database = new DatabaseSync(home.path);
      appendTurn(database, ID, about, messages);
      database.close();
      expect(file().startsWith(before)).toBe(true);
      return file().slice(before.length);
    },
    edit: async (...flags) => {
      const { changed, backupPath } = await home.json('edit', ID, ...flags);
      expect(changed).toBe(true);
      return numberOf(backupPath);
    },
    restore: async (number, ...flags) => {
      const before = { file: file(), marks: readMarksOf(home.path, ID), numbers: numbersIn(home) };
      const done = await home.json(
        'restore',
        ID,
        ...(number === undefined ? [] : ['--backup', String(number)]),
        ...flags,
      );
      expect(findDatabaseFaults(home.path)).toEqual([]);
      const marks = readMarksOf(home.path, ID);
      expect(marks).toMatchObject({ leaf: before.marks.leaf, needsRebuild: 0 });
      expect(marks.generation).not.toBe(before.marks.generation);
      expect(marks.updatedAt).toBeGreaterThan(before.marks.updatedAt);
      const chosen = number ?? Math.max(...before.numbers);
      expect(numberOf(done.restoredFrom)).toBe(chosen);
      const made = numberOf(done.backupPath);
      expect(made).toBeGreaterThan(chosen);
      expect(home.backups(ID)[made]).toBe(before.file);
      expect(home.backups(ID)).toHaveProperty(String(chosen));
      expect(done).toMatchObject({
        success: true,
        mode: 'restore',
        sessionId: ID,
        sizeBefore: Buffer.byteLength(before.file),
        sizeAfter: Buffer.byteLength(file()),
      });
      return done;
    },
    counters: () => {
      const { totalTokens, totalTokensFresh, contextBudgetStatus } = readEntryOf(home.path, KEY)
        .entry as Json;
      return { totalTokens, totalTokensFresh, contextBudgetStatus };
    },
  };
}

function numberOf(path: string): number {
  return Number(/\.backup\.(\d+)\.jsonl$/.exec(path)?.[1]);
}

function numbersIn(home: DatabaseHome): number[] {
  return Object.keys(home.backups(ID)).map(Number);
}

/** What OpenClaw does when it writes a session's rows anew: the same lines, numbered without a gap. */
export function renumberRows(path: string): void {
  const lines = readLinesOf(path, ID);
  const moves = lines.flatMap(({ seq }, index) =>
    seq === index
      ? []
      : ['transcript_events', 'transcript_event_identities', 'session_transcript_active_events'].map(
          (table) =>
            `UPDATE ${table} SET ${table.endsWith('active_events') ? 'event_seq' : 'seq'} = ${index}
             WHERE session_id = '${ID}' AND ${table.endsWith('active_events') ? 'event_seq' : 'seq'} = ${seq}`,
        ),
  );
  changeDatabase(
    path,
    'PRAGMA foreign_keys = OFF',
    'BEGIN',
    ...moves,
    `UPDATE session_transcript_index_state SET indexed_seq = ${lines.length - 1} WHERE session_id = '${ID}'`,
    `UPDATE transcript_rewrite_watermarks SET generation = '${'ab'.repeat(16)}' WHERE session_id = '${ID}'`,
    'COMMIT',
  );
}
