import type { SessionEntry } from '../entry/session-entry.ts';

/** Entries that come out of a store are frozen, all the way down: they cost nothing to hand out. */
export type StoredEntry = Readonly<SessionEntry>;

export interface StoredSession {
  readonly key: string;
  readonly entry: StoredEntry;
}

/** A value that is no SessionEntry. It is kept as it is, and only an explicit delete removes it. */
export interface UnreadableSession {
  readonly key: string;
  readonly reason: string;
}

export interface StoreChange {
  /** Keys whose entry is new or different. */
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}

/** A view of the whole store in which changes are collected until they are written together. */
export interface StoreDraft {
  get(key: string): StoredEntry | undefined;
  list(): readonly StoredSession[];
  set(key: string, entry: SessionEntry): void;
  delete(key: string): boolean;
}

/**
 * Where the SessionEntries of one agent are kept. A store only stores: it knows nothing of freshness, pruning or
 * transcripts, and changes no field by itself. Keys are taken as they are.
 *
 * Every change is atomic and lasting: when its promise resolves it survives a crash, when it rejects nothing changed, and
 * no two changes overlap, whichever process makes them. One failure leaves the change in place: STORE_WRITE_FAILED when
 * the disk took the new content but not the promise that it survives a power cut; the hint then says so.
 *
 * A change made inside the callback of another on the same store joins it rather than waiting for it; if both change the
 * same entry, the outer one fails with STORE_CONFLICT. Fields that this package does not know are kept.
 */
export interface SessionStore {
  /** Fails with STORE_ENTRY_INVALID when something other than an entry is kept under the key. */
  get(key: string): Promise<StoredEntry | undefined>;
  /** In the order in which they are kept, without the unreadable ones. */
  list(): Promise<readonly StoredSession[]>;
  listUnreadable(): Promise<readonly UnreadableSession[]>;
  /**
   * Replaces one entry by what `change` returns for it; undefined or null leaves it as it is. Resolves to the entry as
   * it is kept afterwards. Unknown fields are kept by spreading: `(entry) => ({ ...entry, label })`.
   */
  update(
    key: string,
    change: (entry: StoredEntry | undefined) => Change | Promise<Change>,
  ): Promise<StoredEntry | undefined>;
  /** Changes any number of entries, all of them or, when the callback throws, none. */
  updateMany<T>(change: (draft: StoreDraft) => T | Promise<T>): Promise<T>;
  /** False when there was nothing. */
  delete(key: string): Promise<boolean>;
  /**
   * Calls the listener after changes by this or any other process; changes close together may come as one. Returns the
   * function that ends it. Watching does not keep the process alive. `onError` hears of a store that became unreadable.
   * A listener that fails is reported as a process warning and is called again at the next change.
   */
  watch(listener: (change: StoreChange) => void, onError?: (error: unknown) => void): () => void;
  /** Ends what the store has running. It must not be used afterwards. */
  close(): Promise<void>;
}

export type Change = SessionEntry | StoredEntry | null | undefined;
