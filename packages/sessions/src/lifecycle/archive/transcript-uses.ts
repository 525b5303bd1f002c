import type { SessionEntry } from '../../entry/session-entry.ts';
import type { StoredEntry, StoredSession } from '../../store/contract.ts';
import { isBeingDeleted } from './pending-archive.ts';

type TranscriptName = Readonly<Pick<SessionEntry, 'sessionId' | 'sessionFile'>>;

/** Which transcripts the entries of a store use. Entries that are being deleted use none. */
export class TranscriptUses {
  readonly #ids = new Map<string, number>();
  readonly #files = new Map<string, number>();

  constructor(sessions: Iterable<StoredSession>) {
    for (const { entry } of sessions) this.#count(entry, 1);
  }

  /** Counts an entry no longer. */
  drop(entry: StoredEntry): void {
    this.#count(entry, -1);
  }

  has({ sessionId, sessionFile }: TranscriptName): boolean {
    if ((this.#ids.get(sessionId) ?? 0) > 0) return true;
    return sessionFile !== undefined && (this.#files.get(sessionFile) ?? 0) > 0;
  }

  #count(entry: StoredEntry, by: 1 | -1): void {
    if (isBeingDeleted(entry)) return;
    const { sessionId, sessionFile } = entry;
    this.#ids.set(sessionId, (this.#ids.get(sessionId) ?? 0) + by);
    if (sessionFile !== undefined) this.#files.set(sessionFile, (this.#files.get(sessionFile) ?? 0) + by);
  }
}
