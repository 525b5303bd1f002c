import { OpenBotError } from '@openbot/sessions';

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** SQLite's result code without the part that details it; undefined for any other error. */
function codeOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** The file is not a database, or not a whole one. */
export function isDamaged(error: unknown): boolean {
  const code = codeOf(error);
  return code === CORRUPT || code === NOTADB;
}

/** What went wrong, as an error with a code. Errors that are not about the file stay as they are. */
export function describeFault(path: string, cause: unknown, doing: 'read' | 'write'): unknown {
  const code = codeOf(cause);
  if (code === undefined || !(code in HINTS)) return cause;
  const { message } = cause as Error;
  if (doing === 'read' || code === CORRUPT || code === NOTADB) return unreadable(path, message, cause);
  return new OpenBotError('INBOX_WRITE_FAILED', `Cannot write to ${path}: ${message}`, {
    hint: `Nothing was changed. ${HINTS[code]}`,
    cause,
  });
}

/** What was committed is not known to be on the disk. */
export function unsyncedFault(path: string, cause: unknown): OpenBotError {
  return new OpenBotError('INBOX_WRITE_FAILED', `Cannot write to ${path}: ${(cause as Error).message}`, {
    hint: 'Whether it was changed is not known until the disk can be read again. Check the disk.',
    cause,
  });
}

const DAMAGED = 'It was not changed. Restore a backup of it, or move it away to begin with an empty one.';

const HINTS: Readonly<Record<number, string>> = {
  [BUSY]: 'Another process writes to it and does not finish. Try again, or stop that process.',
  [READONLY]: 'Check the rights of the file and of its folder.',
  [IOERR]: 'Check the disk.',
  [CORRUPT]: DAMAGED,
  [FULL]: 'The disk is full: make room and try again.',
  [CANTOPEN]: 'Check the rights of the file and of its folder.',
  [NOTADB]: DAMAGED,
};

export function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('INBOX_UNREADABLE', `Cannot open the database ${path}: ${why}`, {
    hint: HINTS[codeOf(cause) ?? -1] ?? 'It was not changed. Check the path and who may read it.',
    cause,
  });
}
