import { writeSync } from 'node:fs';
import { OpenBotError } from '../errors.ts';
import { undoAtEnding } from './ending.ts';
import { type LockFile, ownsLockFile, removeLockFile } from './lock-file.ts';
import { noteRelease } from './lock-queue.ts';

export interface HeldLock {
  readonly path: string;
  readonly token: string;
  /** Aborts with LOCK_LOST when the lock is found to be gone, or `maxHoldMs` is over. */
  readonly signal: AbortSignal;
  /** Asks the disk. Check it right before a step that must not happen without the lock. */
  isHeld(): boolean;
  /** Lets go of this lock and of no other. May be called twice. Rejects with LOCK_NOT_RELEASED where its file stays. */
  release(): Promise<void>;
}

// Waiters leave word in the mode of the lock file: no content to tear, no time to disturb, nothing to clean up.
export const WANTED = 0o100;

/** Watches over a lock that was just taken: keeps it fresh, notices its loss, ends it in time. */
export function holdLock(
  file: LockFile,
  token: string,
  limits: { staleMs: number; maxHoldMs: number | undefined },
  endTurn: () => void,
): HeldLock {
  const { path } = file;
  const heldSince = performance.now();
  let loss: OpenBotError | undefined;
  // Made for those who ask for it: most locks are held for less time than making it takes.
  let lost: AbortController | undefined;
  let open = true;
  /** Why a lock that was let go in time is still there. */
  let fault: unknown;
  const lose = (why: string) => {
    clearInterval(refresh);
    loss ??= new OpenBotError('LOCK_LOST', `The lock ${path} ${why}`, { hint: 'Nothing more was written.' });
    lost?.abort(loss);
  };
  const isHeld = () => open && ownsLockFile(file);
  const letGo = () => {
    if (!open) return;
    open = false;
    clearInterval(refresh);
    clearTimeout(limit);
    forget();
    try {
      const mode = removeLockFile(file) ?? 0;
      noteRelease(path, (mode & WANTED) !== 0, heldSince);
    } catch (cause) {
      throw notReleased(path, cause);
    } finally {
      endTurn();
    }
  };
  const refresh = setInterval(
    () => {
      // An error in a timer would end the process.
      try {
        if (isHeld()) touch(file.fd);
        else lose('was removed while it was held');
      } catch (error) {
        lose(`cannot be looked at: ${(error as Error).message}`);
      }
    },
    Math.min(Math.max(1, limits.staleMs / 3), LONGEST_REFRESH_MS),
  ).unref();
  const limit = endAfter(limits.maxHoldMs, () => {
    lose(`was held for longer than ${limits.maxHoldMs} ms`);
    try {
      letGo();
    } catch (error) {
      fault = error;
    }
  });
  const forget = undoAtEnding('locks', letGo);
  const release = async () => {
    letGo();
    if (fault !== undefined) throw fault;
  };
  const makeSignal = () => {
    lost = new AbortController();
    if (loss !== undefined) lost.abort(loss);
    return lost.signal;
  };
  return {
    path,
    token,
    get signal() {
      return lost?.signal ?? makeSignal();
    },
    isHeld,
    release,
  };
}

function notReleased(path: string, cause: unknown): OpenBotError {
  return new OpenBotError(
    'LOCK_NOT_RELEASED',
    `The lock ${path} could not be removed: ${(cause as Error).message}`,
    {
      hint: 'It expires when the process that made it has ended. Remove the file if another program still waits for it.',
      cause,
    },
  );
}

// Others may use a shorter stale time than this holder does.
const LONGEST_REFRESH_MS = 10_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function endAfter(ms: number | undefined, end: () => void): NodeJS.Timeout | undefined {
  return ms === undefined || ms > LONGEST_TIMER_MS ? undefined : setTimeout(end, ms).unref();
}

// Writing the first byte again moves the mtime by the file system's own clock.
function touch(fd: number): void {
  try {
    writeSync(fd, '{', 0);
  } catch {
    // A lock that cannot be refreshed is still held.
  }
}
