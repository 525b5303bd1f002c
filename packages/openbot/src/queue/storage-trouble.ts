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

/** SQLite's `full`. */
const FULL = 13;

/** Whether a disk or a quota has no room left for a write. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some(({ code, errcode }) =>
    typeof errcode === 'number'
      ? (errcode & 0xff) === FULL
      : code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL',
  );
}

/** Whether a failure comes from a disk or database that may work again later, and not from what it was given. */
export function isStorageTrouble(error: unknown): boolean {
  return causesOf(error).some(({ code, errcode }) => {
    if (typeof code === 'string' && (CODES.has(code) || /^SQLITE_(BUSY|FULL|IOERR|LOCKED)/.test(code))) {
      return true;
    }
    // The low byte; the others tell variants of the same result.
    return typeof errcode === 'number' && SQLITE_RESULTS.has(errcode & 0xff);
  });
}

interface Coded {
  readonly code?: unknown;
  readonly errcode?: unknown;
}

/** The failure, and what it came from. */
function causesOf(error: unknown): readonly Coded[] {
  const causes: Coded[] = [];
  for (let at = error; at instanceof Error && causes.length < 8; at = at.cause) causes.push(at as Coded);
  return causes;
}
