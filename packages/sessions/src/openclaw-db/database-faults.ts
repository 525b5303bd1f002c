import { OpenBotError } from '../errors.ts';
import { KNOWN_SCHEMA_VERSION } from './schema.ts';

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;

/** SQLite's own result code of an error, without the part that details it; undefined for any other error. */
function sqliteCodeOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Whether an ordinary read-only open failed because SQLite would have had to write beside or into the file. */
export function needsWriting(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === READONLY || code === CANTOPEN;
}

/** What went wrong with a database, as an error with a code. Errors that are not SQLite's stay as they are. */
export function describeDatabaseFault(path: string, cause: unknown, doing: 'read' | 'write'): unknown {
  const code = sqliteCodeOf(cause);
  if (code === undefined) return cause;
  const { message } = cause as Error;
  if (code === BUSY || code === LOCKED) {
    return new OpenBotError('DATABASE_BUSY', `Another program is writing to ${path} and did not finish`, {
      hint: 'It is probably the gateway of OpenClaw. Try again later, or stop the program that holds the database.',
      cause,
    });
  }
  if (code === ERROR && /no such (table|column)|has no column/.test(message)) {
    return new OpenBotError('DATABASE_UNSUPPORTED', `${path} has an unknown schema: ${message}`, {
      hint: `Nothing was changed. The known version is ${KNOWN_SCHEMA_VERSION}, of OpenClaw 2026.9.`,
      cause,
    });
  }
  if (code === CORRUPT || code === NOTADB || code === CANTOPEN || (doing === 'read' && code in READ_HINTS)) {
    return unreadable(path, message, READ_HINTS[code], cause);
  }
  if (doing === 'write' && code in WRITE_HINTS) {
    return new OpenBotError('DATABASE_WRITE_FAILED', `Cannot write to the database ${path}: ${message}`, {
      hint: `Nothing was changed. ${WRITE_HINTS[code]}`,
      cause,
    });
  }
  return cause;
}

export function unreadable(path: string, why: string, hint?: string, cause?: unknown): OpenBotError {
  return new OpenBotError('DATABASE_UNREADABLE', `Cannot read the database ${path}: ${why}`, {
    hint: hint ?? 'It was not changed. Check the path and who may read it.',
    cause,
  });
}

const READ_HINTS: Record<number, string | undefined> = {
  [READONLY]: undefined,
  [IOERR]: 'It was not changed. Check the disk.',
  [FULL]: 'The disk is full: make room and try again.',
  [CORRUPT]: 'It was not changed. Restore a backup of it, or let `openclaw doctor` look at it.',
  [NOTADB]: 'It was not changed. A database of OpenClaw was expected there.',
  [CANTOPEN]: undefined,
};

const WRITE_HINTS: Record<number, string> = {
  [READONLY]: 'Check the rights of the file and of its folder.',
  [IOERR]: 'Check the disk.',
  [FULL]: 'The disk is full: make room and try again.',
  [CONSTRAINT]: 'The database refused a row: its content is not what this version of OpenClaw keeps.',
};
