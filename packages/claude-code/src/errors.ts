/** Every failure that this package names. Codes are stable; docs/errors.md explains each one. */
export const CLAUDE_CODE_ERROR_CODES = [
  'REPO_NOT_FOUND',
  'REGISTRY_UNREADABLE',
  'SESSION_FOLDER_UNREADABLE',
  'SELECTION_CONFIG_INVALID',
  'SDK_NOT_INSTALLED',
  'REPO_BUSY',
  'SESSION_BUSY',
  'SESSION_OPEN',
  'BUDGET_SPENT',
  'CLAUDE_NOT_STARTED',
  'RUN_ENDED',
  'CONVERSATION_REFUSED',
  'SEND_NOT_POSSIBLE',
] as const;

export type ClaudeCodeErrorCode = (typeof CLAUDE_CODE_ERROR_CODES)[number];

/** A failure with a stable `code`, and a `hint` that tells the person what to do next. */
export class ClaudeCodeError extends Error {
  override readonly name: string = 'ClaudeCodeError';
  readonly code: ClaudeCodeErrorCode;
  readonly hint: string | undefined;

  constructor(message: string, code: ClaudeCodeErrorCode, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}
