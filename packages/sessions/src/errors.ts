/**
 * Every failure that this package names. Codes are stable: callers branch on them, never on message text.
 * docs/errors.md explains each one; a test keeps the two lists equal.
 */
export const ERROR_CODES = [
  'INVALID_ARGUMENT',
  'INVALID_SESSION_KEY',
  'INVALID_SESSION_ID',
  'PATH_ESCAPES_FOLDER',
  'AGENT_MISMATCH',
  'SESSION_NOT_FOUND',
  'CONFIG_UNREADABLE',
  'STORE_UNREADABLE',
  'STORE_PARSE_FAILED',
  'STORE_NOT_AN_OBJECT',
  'STORE_ENTRY_INVALID',
  'STORE_CONFLICT',
  'STORE_WRITE_FAILED',
  'LOCK_TIMEOUT',
  'LOCK_FAILED',
  'LOCK_LOST',
  'TRANSCRIPT_NOT_FOUND',
  'TRANSCRIPT_UNREADABLE',
  'TRANSCRIPT_HEADER_INVALID',
  'TRANSCRIPT_WRITE_FAILED',
  'TRANSCRIPT_NOT_SYNCED',
  'TRANSCRIPT_EXISTS',
  'TRANSCRIPT_UNSUPPORTED',
  'DATABASE_UNREADABLE',
  'DATABASE_UNSUPPORTED',
  'DATABASE_WITHOUT_SESSIONS',
  'DATABASE_BUSY',
  'DATABASE_WRITE_FAILED',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** A failure with a stable `code`, and a `hint` that tells the person what to do next. */
export class OpenBotError extends Error {
  override readonly name = 'OpenBotError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}
