import { writeSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../disk/atomic-write.ts';
import { makeFolder } from '../../disk/folders.ts';
import { isJsonObject } from '../../entry/json-object.ts';
import { OpenBotError } from '../../errors.ts';
import { findFreeArchivePath } from '../../layout/file-name.ts';
import { transcriptFileName } from '../../layout/safe-id.ts';
import { describeFileFault } from '../../transcript-file/file-faults.ts';
import { withTranscriptLock } from '../../transcript-file/lock.ts';
import { iterateEventLines } from '../events/event-text.ts';
import type { OpenclawDatabase } from '../open-database.ts';
import { inTransaction } from '../transaction.ts';
import { parseEntry } from './entry-rows.ts';

/** The sessions that go when a key goes, and those that another entry still names and which then become its own. */
interface OwnedSessions {
  readonly removed: readonly string[];
  readonly handedOn: ReadonlyMap<string, string>;
}

/** Fails with TRANSCRIPT_UNSUPPORTED when lines of a session that would go are not in the database. */
export function listOwnedSessions(database: OpenclawDatabase, key: string): OwnedSessions {
  const { path, db } = database;
  const owned = db.prepare('SELECT session_id AS id FROM session_windows WHERE session_key = ?').all(key);
  const removed: string[] = [];
  const handedOn = new Map<string, string>();
  const isCold = db.prepare('SELECT 1 FROM session_transcript_cold_archives WHERE session_id = ?');
  for (const { id } of owned as { id: string }[]) {
    const heir = findHeir(database, id, key);
    if (heir !== undefined) handedOn.set(id, heir);
    else if (isCold.get(id) === undefined) removed.push(id);
    else {
      throw new OpenBotError(
        'TRANSCRIPT_UNSUPPORTED',
        `The lines of session ${id} (${key}) were moved out of ${path} by OpenClaw, so it cannot be deleted here`,
        { hint: 'Nothing was changed. Delete the session with OpenClaw.' },
      );
    }
  }
  return { removed, handedOn };
}

/** Deletes the row of a key with all that hangs on it, the full-text rows included, which nothing else removes. */
export function removeEntry(database: OpenclawDatabase, key: string): void {
  const { db, schema } = database;
  const { removed, handedOn } = listOwnedSessions(database, key);
  const handOn = db.prepare('UPDATE session_windows SET session_key = ? WHERE session_id = ?');
  for (const [sessionId, heir] of handedOn) handOn.run(heir, sessionId);
  const removeText = db.prepare('DELETE FROM session_transcript_fts_rows WHERE session_id = ?');
  for (const sessionId of removed) removeText.run(sessionId);
  if (schema.has('conversation_deliveries', 'source_session_key')) {
    if (schema.has('cache_entries', 'scope')) {
      db.prepare(
        `DELETE FROM cache_entries WHERE scope = 'conversation-progress'
         AND key IN (SELECT operation_id FROM conversation_deliveries WHERE source_session_key = ?)`,
      ).run(key);
    }
    db.prepare('DELETE FROM conversation_deliveries WHERE source_session_key = ?').run(key);
  }
  db.prepare('DELETE FROM session_nodes WHERE session_key = ?').run(key);
}

/** Another key whose entry names the session: as its own, as an earlier one, or in the history of compactions. */
function findHeir({ db }: OpenclawDatabase, sessionId: string, key: string): string | undefined {
  const candidates = db
    .prepare(
      `SELECT session_key AS key, current_session_id AS current, entry_json AS text FROM session_nodes
       WHERE session_key <> ? AND (current_session_id = ? OR instr(entry_json, ?) > 0) ORDER BY session_key`,
    )
    .all(key, sessionId, sessionId) as { key: string; current: string; text: string }[];
  return candidates.find(({ current, text }) => current === sessionId || namesSession(text, sessionId))?.key;
}

function namesSession(entryText: string, sessionId: string): boolean {
  const entry = parseEntry(entryText);
  if (entry === undefined) return false;
  const family = Array.isArray(entry.usageFamilySessionIds) ? entry.usageFamilySessionIds : [];
  const checkpoints: unknown[] = Array.isArray(entry.compactionCheckpoints)
    ? entry.compactionCheckpoints
    : [];
  const ofCheckpoints = checkpoints
    .filter(isJsonObject)
    .flatMap((checkpoint) =>
      [checkpoint, checkpoint.preCompaction, checkpoint.postCompaction].map((part) =>
        isJsonObject(part) ? part.sessionId : undefined,
      ),
    );
  return [entry.previousSessionId, ...family, ...ofCheckpoints].includes(sessionId);
}

/** A transcript that was written to a file, and what it was then. */
export interface WindowArchive {
  readonly sessionId: string;
  readonly state: string;
  readonly path: string;
}

/** Where OpenClaw keeps files of sessions: beside the folder of the database. */
export function sessionsFolderOf(databasePath: string): string {
  return join(dirname(dirname(databasePath)), 'sessions');
}

/** Tells one state of a transcript from another; undefined when there are no lines. */
export function readTranscriptState(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
): string | undefined {
  const row = db
    .prepare(
      `SELECT count(*) AS events, CAST(max(seq) AS REAL) AS last, sum(octet_length(event_json)) AS bytes,
         (SELECT generation FROM transcript_rewrite_watermarks AS g WHERE g.session_id = ?) AS generation,
         (SELECT transcript_updated_at FROM session_windows AS w WHERE w.session_id = ?) AS updatedAt
       FROM transcript_events WHERE session_id = ?`,
    )
    .get(sessionId, sessionId, sessionId) as { events: number };
  return row.events === 0 ? undefined : JSON.stringify(row);
}

/**
 * Writes a transcript as lines to `<session id>.jsonl.deleted.<time>` in the folder, synced. Undefined when it has no
 * lines.
 */
export async function archiveWindow(
  database: OpenclawDatabase,
  sessionId: string,
  folder: string,
  at: number,
): Promise<WindowArchive | undefined> {
  if (readTranscriptState(database, sessionId) === undefined) return undefined;
  const transcript = join(folder, transcriptFileName(sessionId));
  try {
    await makeFolder(folder);
    return await withTranscriptLock(transcript, async () => {
      const path = await findFreeArchivePath(transcript, 'deleted', at);
      let state: string | undefined;
      await writeFileAtomic(path, async (handle) => {
        // Reading and writing take turns within one call, so that all lines are of one moment.
        state = inTransaction(database, 'deferred', () => {
          for (const line of iterateEventLines(database, sessionId)) writeAll(handle.fd, line);
          return readTranscriptState(database, sessionId);
        });
      });
      return { sessionId, state: state ?? '', path };
    });
  } catch (error) {
    throw describeFileFault(transcript, error, 'write');
  }
}

/** Takes back archives of sessions that were not deleted after all. */
export async function removeArchives(archives: readonly WindowArchive[]): Promise<void> {
  for (const { path } of archives) await unlink(path).catch(() => {});
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
