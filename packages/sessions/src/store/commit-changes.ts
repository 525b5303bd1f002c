import { type AtomicWriteIo, writeFileAtomic } from '../disk/atomic-write.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import type { LockOptions } from '../disk/lock.ts';
import { OpenBotError } from '../errors.ts';
import { applyChanges, type EntryChanges } from './change-document.ts';
import type { StoreDocument } from './document.ts';
import {
  forgetDocument,
  type Loaded,
  loadDocument,
  readCacheTtlMs,
  rememberDocument,
} from './document-cache.ts';
import {
  type FileSignature,
  isSameVersion,
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

const MOST_ATTEMPTS = 5;

/** Writes changes that were made from `base`, and resolves to what is kept then. */
export async function commitChanges(
  path: string,
  options: FileStoreOptions,
  base: Loaded,
  changes: EntryChanges,
  lock: HeldLock,
): Promise<Loaded> {
  for (let attempt = 1; ; attempt++) {
    const isCurrent = isUnchanged(path, base.signature);
    const { document, signature } = isCurrent ? base : loadDocument(path, options.cacheTtlMs);
    assertUntouched(path, base.document, document, changes);
    const next = applyChanges(document, changes);
    if (next.pieces.length > MAX_STORE_BYTES) {
      throw writeFailed(
        path,
        `it would have ${next.pieces.length} bytes, more than the ${MAX_STORE_BYTES} it may have`,
      );
    }
    let overtaken = false;
    try {
      const written = await writeFileAtomic(path, next.pieces.list, {
        sweep: false,
        io: options.io,
        beforeRename: () => {
          if (!lock.isHeld()) throw lockLost(lock);
          overtaken = !isUnchanged(path, signature);
          if (overtaken) throw writeFailed(path, 'a program that does not take the lock keeps writing it');
        },
      });
      return remember(path, next, signatureOf(written), options.cacheTtlMs);
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
): Loaded {
  const now = statStoreFile(path);
  // Getting its name changes the file's ctime; everything else must be as we wrote it.
  const isOurs = now !== undefined && isSameVersion({ ...written, ctimeNs: now.ctimeNs }, now);
  if (ttlMs > 0 && isOurs) rememberDocument(path, document, now, true);
  else forgetDocument(path);
  return { document, signature: isOurs ? now : written };
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
