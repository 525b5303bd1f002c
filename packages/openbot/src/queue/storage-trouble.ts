const CODES = new Set([
  'DATABASE_BUSY',
  'LOCK_FAILED',
  'LOCK_TIMEOUT',
  'EAGAIN',
  'EBUSY',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOSPC',
  'EROFS',
  'ETIMEDOUT',
]);

/** Busy, locked, out of memory, read-only, input/output error, full, cannot open. */
const SQLITE_RESULTS = new Set([5, 6, 7, 8, 10, 13, 14]);

/** Whether a failure comes from a disk or database that may work again later, and not from what it was given. */
export function isStorageTrouble(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code, errcode } = at as { code?: unknown; errcode?: unknown };
    if (typeof code === 'string' && (CODES.has(code) || /^SQLITE_(BUSY|FULL|IOERR|LOCKED)/.test(code))) {
      return true;
    }
    // The low byte; the others tell variants of the same result.
    if (typeof errcode === 'number' && SQLITE_RESULTS.has(errcode & 0xff)) return true;
  }
  return false;
}
