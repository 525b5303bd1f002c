import { reportProgress, type SessionEntry } from '@openbot/sessions';
import { deferEnding, syncFolder } from '@openbot/sessions/disk';
import {
  changeEntriesOfSession,
  type DatabaseTranscript,
  inTransaction,
  isSameVersion,
  makeGeneration,
  markRewritten,
  type OpenclawDatabase,
  openEventChanges,
  openSearchChanges,
  type Projection,
  projectTranscript,
  readTranscriptVersion,
  scanDatabaseTranscript,
  writeProjection,
} from '@openbot/sessions/openclaw-database';
import { type BackupPaths, backupPathOf } from '../../backups/backup-paths.ts';
import type { Counters } from '../../rewrite/counters.ts';
import type { RewriteRecord } from '../contract/kept-state.ts';
import type { ReplacedState, RewriteSteps } from '../contract/rewriting.ts';
import type { ReadSession } from './readable-session.ts';
import type { StagedFile } from './staged-file.ts';

/** The rows of a session at one moment. They are read from the backup that was written of them. */
export interface OpenRows {
  readonly database: OpenclawDatabase;
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly paths: BackupPaths;
  readonly number: number;
  readonly backup: StagedFile;
  readonly session: ReadSession;
  readonly version: ReturnType<typeof readTranscriptVersion>;
  readonly counters: Counters | undefined;
}

/** Whether a rewrite changed rows: a session that was a file once has records of that too. */
export function isRowRecord({ generations }: RewriteRecord): boolean {
  return generations !== undefined;
}

/** What the rows are to become. */
interface NextRows {
  readonly changes: () => RowChanges;
  readonly sizeAfter: number;
  readonly verify: Rewrite['verify'];
}

/**
 * The backup is written, recorded and synced before the transaction begins: it is the slow part, and OpenClaw waits no longer
 * than five seconds for the database.
 */
export async function replaceRows(
  { database, sessionId, paths, number, backup, session, version, counters }: OpenRows,
  next: NextRows,
  steps: RewriteSteps,
): Promise<ReplacedState | undefined> {
  steps.accept(next.sizeAfter);
  reportProgress({ step: 'write', text: 'Writing the session' });
  const generation = makeGeneration();
  const isOver = deferEnding();
  const undo = async () => {
    backup.drop();
    await steps.undo();
  };
  try {
    await steps.record({
      backup: number,
      backupBytes: backup.byteLength,
      resultBytes: next.sizeAfter,
      resultHash: '',
      generations: { before: version.generation, after: generation },
      counters,
    });
    backup.sync();
    // After the record: a backup without one would be taken for that of a rewrite that took place.
    backup.name();
    await syncFolder(paths.folder);
    const isDone = inTransaction(database, 'immediate', () => {
      if (!isSameVersion(version, readTranscriptVersion(database, sessionId))) return false;
      applyRewrite(database, {
        sessionId,
        before: session,
        changes: next.changes(),
        generation,
        now: steps.at.getTime(),
        verify: next.verify,
        changeEntry: (entry) => steps.changeEntry?.(entry),
      });
      return true;
    });
    if (isDone) return { backupPath: backupPathOf(paths, number) };
    await undo();
    return undefined;
  } catch (error) {
    await undo();
    throw error;
  } finally {
    isOver();
  }
}

/** What a rewrite does to the rows of a session. */
export interface RowChanges {
  readonly removed: Iterable<number>;
  /** With the parent that the line names now; undefined where it tells itself. */
  readonly replaced: Iterable<readonly [seq: number, line: Buffer, parentId?: string | null]>;
  readonly added?: Iterable<readonly [seq: number, line: Buffer]>;
}

export interface Rewrite {
  readonly sessionId: string;
  readonly before: DatabaseTranscript & { readonly projection: Projection; readonly isIndexed: boolean };
  readonly changes: RowChanges;
  readonly generation: string;
  readonly now: number;
  /** Looks at the rows as they are now; throwing undoes everything. */
  verify(after: DatabaseTranscript, projection: Projection): void;
  /** Gives an entry of the session as it is to be; undefined leaves it. */
  changeEntry(entry: SessionEntry, key: string): SessionEntry | undefined;
}

/**
 * Rewrites rows of a session and all that OpenClaw keeps beside them: links, active path, index, full text, generation,
 * time and counters. What is kept beside is computed from the rows as they are read back. To be called in a transaction.
 */
export function applyRewrite(database: OpenclawDatabase, rewrite: Rewrite): void {
  const { sessionId, changes, before } = rewrite;
  // Nothing hangs from it, so that each row that goes need not be looked for in it.
  database.db.prepare('DELETE FROM session_transcript_active_events WHERE session_id = ?').run(sessionId);
  const events = openEventChanges(database, sessionId);
  for (const seq of changes.removed) events.remove(seq);
  for (const [seq, line, parentId] of changes.replaced) events.replace(seq, line, parentId);
  for (const [seq, line] of changes.added ?? []) events.add(seq, line);
  const after = scanDatabaseTranscript(database, sessionId);
  const projection = projectTranscript(after);
  rewrite.verify(after, projection);
  writeProjection(database, sessionId, projection, rewrite.now);
  updateSearch(database, sessionId, before, { ...after, projection });
  markRewritten(database, sessionId, rewrite.generation, rewrite.now);
  changeEntriesOfSession(database, sessionId, (entry, key) => rewrite.changeEntry(entry, key));
}

type Projected = DatabaseTranscript & { readonly projection: Projection };

/** Messages that left the active path are no longer found, those that came to it are. */
function updateSearch(
  database: OpenclawDatabase,
  sessionId: string,
  before: Projected & { readonly isIndexed: boolean },
  after: Projected,
): void {
  const search = openSearchChanges(database, sessionId);
  if (!before.isIndexed) search.forgetAll();
  const was = before.isIndexed ? messagesOf(before) : new Map<string, number>();
  const is = messagesOf(after);
  for (const id of was.keys()) if (!is.has(id)) search.forget(id);
  for (const [id, index] of is) {
    if (!was.has(id)) search.learn(after.readBytes(index), after.seqs[index]!);
  }
}

/** By id: the messages of people and of the assistant on the active path. */
function messagesOf({ transcript, seqs, projection }: Projected): Map<string, number> {
  const indexOf = new Map<number, number>();
  for (const [index, seq] of seqs.entries()) indexOf.set(seq, index);
  const messages = new Map<string, number>();
  for (const { seq, messagePosition } of projection.rows) {
    if (messagePosition === null) continue;
    const index = indexOf.get(seq)!;
    const role = transcript.roleOf(index);
    const id = role === 'user' || role === 'assistant' ? transcript.idOf(index) : undefined;
    if (id !== undefined) messages.set(id.trim(), index);
  }
  return messages;
}
