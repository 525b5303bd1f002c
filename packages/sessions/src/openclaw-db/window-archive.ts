import { writeSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../disk/atomic-write.ts';
import { makeFolder } from '../disk/folders.ts';
import { transcriptFileName } from '../layout/safe-id.ts';
import { describeFileFault } from '../transcript-file/file-faults.ts';
import { findFreeArchivePath } from '../layout/file-name.ts';
import { withTranscriptLock } from '../transcript-file/lock.ts';
import { iterateEventLines } from './event-text.ts';
import type { OpenclawDatabase } from './open-database.ts';
import { inTransaction } from './transaction.ts';

/** A transcript that was written to a file, and what it was then. */
export type WindowArchive = { readonly sessionId: string; readonly state: string; readonly path: string };

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
      `SELECT count(*) AS events, max(seq) AS last, sum(octet_length(event_json)) AS bytes,
         (SELECT generation FROM transcript_rewrite_watermarks AS g WHERE g.session_id = ?1) AS generation,
         (SELECT transcript_updated_at FROM session_windows AS w WHERE w.session_id = ?1) AS updatedAt
       FROM transcript_events WHERE session_id = ?1`,
    )
    .get(sessionId) as { events: number };
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
