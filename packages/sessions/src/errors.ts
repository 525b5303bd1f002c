import type { SESSIONS_ERRORS } from './error-codes.ts';

/** The codes of this package. Each package has its own list; they are explained in docs/errors.md. */
export type ErrorCode = keyof typeof SESSIONS_ERRORS;

interface ErrorOptions {
  /** Tells the person what to do next. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** What a caller may want to read of the failure, such as the sessions that a name could mean. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A failure that a caller can meet, in every package. Callers branch on its `code`, which is stable, never on its text. */
export class OpenBotError extends Error {
  override readonly name: string = 'OpenBotError';
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: string, message: string, { hint, cause, details }: ErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.details = details;
  }

  /** The code of what caused it: of another failure, or of the system. */
  get reason(): string | undefined {
    const code = (this.cause as { code?: unknown } | undefined)?.code;
    return typeof code === 'string' ? code : undefined;
  }
}

/** Also for an error of another bundle, whose class is another one. */
export function isOpenBotError(error: unknown): error is OpenBotError {
  return error instanceof Error && 'code' in error && 'hint' in error && 'details' in error;
}
