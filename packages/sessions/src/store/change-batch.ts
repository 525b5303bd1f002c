import type { HeldLock } from '../disk/held-lock.ts';
import { runInLock } from '../disk/lock-queue.ts';
import type { SessionEntry } from '../entry/session-entry.ts';
import { applyChanges } from './change-document.ts';
import { assertUntouched, commitChanges, type FileStoreOptions } from './commit-changes.ts';
import type { StoreDraft } from './contract.ts';
import type { StoreDocument } from './document.ts';
import { type Loaded, loadDocument } from './document-cache.ts';
import { openDraft } from './draft.ts';

/** @param read what the draft shows, as a document */
export type StoreCallback<T> = (draft: StoreDraft, read: () => StoreDocument) => T | Promise<T>;

interface Finished {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** A callback that takes longer keeps those before it waiting no further: their changes are written meanwhile. */
const PATIENCE_MS = 5;

/**
 * Callbacks that share one hold of the lock. Each sees the changes of those before it, and loses only its own when it
 * throws. If the write fails, all that it would have kept fail.
 */
export class ChangeBatch {
  readonly #path: string;
  readonly #lockName: string;
  readonly #options: FileStoreOptions;
  readonly #lock: HeldLock;
  readonly #onEarlyWrite: () => void;
  /** What is on disk, and what is to be written over it. */
  #base: Loaded | undefined;
  #pending = new Map<string, SessionEntry | undefined>();
  #finished: Finished[] = [];
  #writing: Promise<void> = Promise.resolve();
  #failure: { readonly reason: unknown } | undefined;
  #wasInterrupted = false;

  /** @param onEarlyWrite is called when callbacks got their answer and the lock is still needed by others */
  constructor(
    path: string,
    lockName: string,
    options: FileStoreOptions,
    lock: HeldLock,
    onEarlyWrite: () => void = () => {},
  ) {
    this.#onEarlyWrite = onEarlyWrite;
    this.#path = path;
    this.#lockName = lockName;
    this.#options = options;
    this.#lock = lock;
  }

  /** False after a write failed: what comes next would be built on changes that are not there. */
  get isSound(): boolean {
    return this.#failure === undefined;
  }

  /** Never rejects. `resolve` is called once the change is on disk. */
  async run<T>(
    change: StoreCallback<T>,
    resolve: (result: T) => void,
    reject: (reason: unknown) => void,
    inFlow: <R>(run: () => R) => R,
  ): Promise<void> {
    try {
      if (this.#pending.size === 0) this.#base = loadDocument(this.#path, this.#options.cacheTtlMs);
      const { document } = this.#base!;
      const before = this.#pending;
      const { draft, finish } = openDraft(document, before);
      this.#wasInterrupted = false;
      const read = () => (before.size === 0 ? document : applyChanges(document, before));
      const result = await this.#withPatience(
        inFlow(() => runInLock(this.#lockName, this.#lock, () => change(draft, read))),
      );
      const changes = finish();
      await this.#writing;
      if (this.#failure !== undefined) throw this.#failure.reason;
      // The other change is on disk: a conflict with it is the fault of this one alone.
      if (this.#wasInterrupted) this.#assertUntouched(changes);
      for (const [key, entry] of changes) {
        if (entry === undefined && !this.#base!.document.index.has(key)) this.#pending.delete(key);
        else this.#pending.set(key, entry);
      }
      this.#finished.push({ resolve: () => resolve(result), reject });
      if (this.#pending.size === 0) await this.write();
    } catch (error) {
      reject(error);
    }
  }

  /** Writes what the callbacks so far have changed. Never rejects: each of them gets its own answer. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeEarly(): Promise<void> {
    const hasFinished = this.#finished.length > 0;
    await this.write();
    if (hasFinished) this.#onEarlyWrite();
  }

  /** Called before a change inside the callback that runs. Rejects when that callback is built on what was not written. */
  async interrupt(): Promise<void> {
    await this.#writeEarly();
    if (this.#failure !== undefined) throw this.#failure.reason;
    this.#wasInterrupted = true;
  }

  async #writeNow(): Promise<void> {
    const finished = this.#finished;
    const changes = this.#pending;
    this.#finished = [];
    this.#pending = new Map();
    try {
      if (changes.size > 0) {
        this.#base = await commitChanges(this.#path, this.#options, this.#base!, changes, this.#lock);
      }
    } catch (reason) {
      this.#failure = { reason };
      for (const { reject } of finished) reject(reason);
      return;
    }
    for (const { resolve } of finished) resolve();
  }

  #assertUntouched(changes: ReadonlyMap<string, unknown>): void {
    const was = this.#base!.document;
    this.#base = loadDocument(this.#path, this.#options.cacheTtlMs);
    assertUntouched(this.#path, was, this.#base.document, changes as never);
  }

  async #withPatience<T>(work: Promise<T>): Promise<T> {
    if (this.#finished.length === 0) return work;
    const timer = setTimeout(() => void this.#writeEarly(), PATIENCE_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }
}
