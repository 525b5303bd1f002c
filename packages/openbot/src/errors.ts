/** Every failure that this package names itself, bin/openbot.js included. docs/errors.md explains each one. */
export const OPENBOT_ERROR_CODES = ['USAGE', 'RUN_FAILED', 'NODE_TOO_OLD', 'NOT_BUILT'] as const;

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** A run of Claude Code ended without success; what happened was told as it happened. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
  readonly code = 'RUN_FAILED';
  readonly hint: string;

  constructor(message: string, { sessionId, result }: { sessionId?: string; result: string }) {
    super(message);
    const more = result === 'budget' ? ' --budget <more>' : '';
    if (sessionId === undefined) this.hint = 'Nothing was started.';
    else if (/prompt is too long/i.test(message)) {
      this.hint = `Session ${sessionId} is full. To begin another one: --fresh`;
    } else this.hint = `To go on in it: --session ${sessionId}${more}`;
  }
}

/** Nobody reads the output any more, so the work was ended. It is not told: there is nobody to tell. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost';
}

/** What was to be printed could not be written. */
export class OutputFailed extends Error {
  override readonly name = 'OutputFailed';
  readonly code = 'UNEXPECTED';
  readonly hint = 'Check where it goes: a full disk, a closed file.';

  constructor(cause: string) {
    super(`The output could not be written: ${cause}`);
  }
}
