import { runLocked, takeTurn } from '../../disk/lock-queue.ts';
import type { OpenSessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import type { EntryChanges } from '../../store/change-document.ts';
import { assertUntouched } from '../../store/commit-changes.ts';
import type { StoreDraft } from '../../store/contract.ts';
import type { StoreDocument } from '../../store/document.ts';
import { openDraft } from '../../store/draft.ts';
import { type OpenclawDatabase, openDatabaseForWriting, type WritingOptions } from '../open-database.ts';
import { inTransaction } from '../transaction.ts';
import { loadEntries, writeEntry } from './entry-rows.ts';
import {
  archiveWindow,
  listOwnedSessions,
  readTranscriptState,
  removeArchives,
  removeEntry,
  sessionsFolderOf,
  type WindowArchive,
} from './remove-entry.ts';

export interface DatabaseStoreOptions extends WritingOptions {
  /** Where transcripts of deleted sessions are written. `sessions` beside the folder of the database. */
  sessionsFolder?: string;
  /** Milliseconds. Date.now. */
  now?: () => number;
}

const MOST_ATTEMPTS = 5;

/**
 * Changes entries of a database. A change that does not wait for anything is made within one write transaction, so it
 * never meets another. One that waits is drafted first, since OpenClaw could not write meanwhile, and is written only if
 * its entries are still the same. `keys` limits what the draft can see.
 */
export function changeEntries<T>(
  path: string,
  options: DatabaseStoreOptions,
  keys: readonly string[] | undefined,
  change: (draft: StoreDraft) => T | Promise<T>,
): Promise<T> {
  const name = `openclaw-db:${path}`;
  const acquire = async () => {
    const endTurn = await takeTurn(name, Number.POSITIVE_INFINITY, undefined, () => new Error('unreachable'));
    return { release: async () => endTurn() };
  };
  return runLocked(name, acquire, async () => {
    const database = openDatabaseForWriting(path, options);
    try {
      const begun = inTransaction(database, 'immediate', () => begin(database, keys, change));
      const result = await begun.outcome;
      const changes = begun.finish();
      if (changes.size > 0) await commit(database, options, begun.base, changes);
      return result;
    } finally {
      database.close();
    }
  });
}

interface Begun<T> {
  base: StoreDocument;
  outcome: T | Promise<T>;
  finish(): EntryChanges;
}

function begin<T>(
  database: OpenclawDatabase,
  keys: readonly string[] | undefined,
  change: (draft: StoreDraft) => T | Promise<T>,
): Begun<T> {
  const base = loadEntries(database, keys);
  const { draft, finish } = openDraft(base);
  const outcome = change(draft);
  if (outcome instanceof Promise) {
    // Its failure is heard when it is waited for, or not at all if this transaction cannot even be ended.
    outcome.catch(() => {});
    return { base, outcome, finish };
  }
  const changes = finish();
  // What is deleted has to be written to a file first, which takes its time.
  if ([...changes.values()].includes(undefined)) return { base, outcome, finish: () => changes };
  apply(database, changes);
  return { base, outcome, finish: () => new Map() };
}

async function commit(
  database: OpenclawDatabase,
  options: DatabaseStoreOptions,
  base: StoreDocument,
  changes: EntryChanges,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const archives = await archiveDeleted(database, options, changes);
    let isDone = false;
    try {
      isDone = inTransaction(database, 'immediate', () => {
        const now = loadEntries(database, [...changes.keys()]);
        assertUntouched(database.path, base, now, changes);
        if (!areArchived(database, changes, archives)) return false;
        apply(database, changes);
        return true;
      });
      if (isDone) return;
    } finally {
      if (!isDone) await removeArchives(archives);
    }
    if (attempt < MOST_ATTEMPTS) continue;
    throw new OpenBotError(
      'STORE_CONFLICT',
      `A session in ${database.path} grows while it is being deleted`,
      {
        hint: 'Nothing was changed. Let its run end, then try again.',
      },
    );
  }
}

function apply(database: OpenclawDatabase, changes: EntryChanges): void {
  // First what is written: a session that moves to another key must not go with its old one.
  for (const [key, entry] of changes)
    if (entry !== undefined) writeEntry(database, key, entry as OpenSessionEntry);
  for (const [key, entry] of changes) if (entry === undefined) removeEntry(database, key);
}

async function archiveDeleted(
  database: OpenclawDatabase,
  options: DatabaseStoreOptions,
  changes: EntryChanges,
): Promise<WindowArchive[]> {
  const folder = options.sessionsFolder ?? sessionsFolderOf(database.path);
  const at = (options.now ?? Date.now)();
  const archives: WindowArchive[] = [];
  try {
    for (const sessionId of listDeletedSessions(database, changes)) {
      const archive = await archiveWindow(database, sessionId, folder, at);
      if (archive !== undefined) archives.push(archive);
    }
    return archives;
  } catch (error) {
    await removeArchives(archives);
    throw error;
  }
}

/** Whether every line that is about to be deleted is in an archive. */
function areArchived(
  database: OpenclawDatabase,
  changes: EntryChanges,
  archives: readonly WindowArchive[],
): boolean {
  return listDeletedSessions(database, changes).every((sessionId) => {
    const state = readTranscriptState(database, sessionId);
    return state === undefined || archives.some((one) => one.sessionId === sessionId && one.state === state);
  });
}

function listDeletedSessions(database: OpenclawDatabase, changes: EntryChanges): string[] {
  return [...changes].flatMap(([key, entry]) =>
    entry === undefined ? listOwnedSessions(database, key).removed : [],
  );
}
