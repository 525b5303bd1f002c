import { type AtomicWriteIo, writeFileAtomic } from '../disk/atomic-write.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import { type LockOptions, withLock } from '../disk/lock.ts';
import { OpenBotError } from '../errors.ts';
import { applyChanges, type EntryChanges } from './change-document.ts';
import type { StoreDraft } from './contract.ts';
import type { StoreDocument } from './document.ts';
import {
  forgetDocument,
  type Loaded,
  loadDocument,
  readCacheTtlMs,
  rememberDocument,
} from './document-cache.ts';
import { openDraft } from './draft.ts';
import {
  type FileSignature,
  isSameVersion,
  locateStoreFile,
  MAX_STORE_BYTES,
  signatureOf,
  statStoreFile,
} from './read-store-file.ts';

export interface FileStoreOptions {
  lock?: LockOptions;
  /** How long reads may be answered from memory; 0 for never. OPENCLAW_SESSION_CACHE_TTL_MS, or 45 s. */
  cacheTtlMs?: number;
  /** Replaces steps of the write. For tests of a failing disk. */
  io?: Partial<AtomicWriteIo>;
}

/** Reads, changes and writes the store at `storePath` under its lock. Nothing is written when nothing changed. */
export async function changeStore<T>(
  storePath: string,
  options: FileStoreOptions,
  change: (draft: StoreDraft, document: StoreDocument) => T | Promise<T>,
): Promise<T> {
  const path = locateStoreFile(storePath);
  return withLock(`${path}.lock`, options.lock ?? {}, async (lock) => {
    const base = loadDocument(path, options.cacheTtlMs);
    const { draft, finish } = openDraft(base.document);
    const result = await change(draft, base.document);
    const changes = finish();
    if (changes.size > 0) await commit(path, options, base, changes, lock);
    return result;
  });
}

const MOST_ATTEMPTS = 5;

async function commit(
  path: string,
  options: FileStoreOptions,
  base: Loaded,
  changes: EntryChanges,
  lock: HeldLock,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const isCurrent = isUnchanged(path, base.signature);
    const { document, signature } = isCurrent ? base : loadDocument(path, options.cacheTtlMs);
    assertUntouched(path, base.document, document, changes);
    const next = applyChanges(document, changes);
    if (next.bytes.length > MAX_STORE_BYTES) {
      throw writeFailed(
        path,
        `it would have ${next.bytes.length} bytes, more than the ${MAX_STORE_BYTES} it may have`,
      );
    }
    let overtaken = false;
    try {
      const written = await writeFileAtomic(path, next.bytes, {
        sweep: false,
        io: options.io,
        beforeRename: () => {
          if (!lock.isHeld()) throw lockLost(lock);
          overtaken = !isUnchanged(path, signature);
          if (overtaken) throw writeFailed(path, 'a program that does not take the lock keeps writing it');
        },
      });
      remember(path, next, signatureOf(written), options.cacheTtlMs);
      return;
    } catch (error) {
      if (overtaken && attempt < MOST_ATTEMPTS) continue;
      if (error instanceof OpenBotError) throw error;
      throw writeFailed(
        path,
        (error as Error).message,
        error,
        wasReplaced(path, signature) ? UNSYNCED : undefined,
      );
    }
  }
}

/** An entry that is about to be replaced must still be the one that the change was made from. */
export function assertUntouched(
  path: string,
  base: StoreDocument,
  now: StoreDocument,
  changes: EntryChanges,
): void {
  if (base === now) return;
  for (const key of changes.keys()) {
    const was = base.members[base.index.get(key) ?? -1];
    const is = now.members[now.index.get(key) ?? -1];
    if (was === is || JSON.stringify(was?.value) === JSON.stringify(is?.value)) continue;
    throw new OpenBotError('STORE_CONFLICT', `${key} in ${path} was changed during its own update`, {
      hint: 'Do not change an entry inside the callback that changes it. Programs must take the lock to write.',
    });
  }
}

function isUnchanged(path: string, signature: FileSignature | undefined): boolean {
  const now = statStoreFile(path);
  return signature === undefined || now === undefined ? signature === now : isSameVersion(now, signature);
}

function wasReplaced(path: string, signature: FileSignature | undefined): boolean {
  try {
    return !isUnchanged(path, signature);
  } catch {
    return false;
  }
}

function remember(
  path: string,
  document: StoreDocument,
  written: FileSignature,
  ttlMs = readCacheTtlMs(),
): void {
  const now = statStoreFile(path);
  // Getting its name changes the file's ctime; everything else must be as we wrote it.
  if (ttlMs > 0 && now !== undefined && isSameVersion({ ...written, ctimeNs: now.ctimeNs }, now)) {
    rememberDocument(path, document, now);
  } else {
    forgetDocument(path);
  }
}

function lockLost(lock: HeldLock): OpenBotError {
  return new OpenBotError('LOCK_LOST', `The lock ${lock.path} was removed before the store was written`, {
    hint: 'Nothing was written. Try again.',
  });
}

const UNSYNCED = 'The new content is in place, but may not survive a power cut.';

function writeFailed(path: string, why: string, cause?: unknown, hint?: string): OpenBotError {
  return new OpenBotError('STORE_WRITE_FAILED', `Cannot write the session store ${path}: ${why}`, {
    hint: hint ?? 'Its old content is still in place.',
    cause,
  });
}
