/**
 * Failures that a caller of occ can meet. `code` is stable; `hint` says what to do next. docs/errors.md explains each
 * one. Failures of the sessions library (locks, stores, transcripts) come through as its own OpenBotError.
 */
export class OccError extends Error {
  override readonly name: string = 'OccError';
  readonly code: OccErrorCode;
  readonly hint: string | undefined;

  constructor(message: string, code: OccErrorCode, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** The code of what caused it: of another failure, or of the system. */
  get reason(): string | undefined {
    const code = (this.cause as { code?: unknown } | undefined)?.code;
    return typeof code === 'string' ? code : undefined;
  }
}

export const OCC_ERROR_CODES = [
  'USAGE',
  'SESSION_NOT_FOUND',
  'AMBIGUOUS_SESSION',
  'NO_SESSIONS',
  'SESSION_NOT_NAMED',
  'AGENT_NOT_FOUND',
  'UNKNOWN_PRESET',
  'CONFIG_INVALID',
  'SESSION_IN_USE',
  'SESSION_UNSUPPORTED',
  'EDIT_FAILED',
  'CLONE_FAILED',
  'RESTORE_FAILED',
  'UNEXPECTED',
] as const;
export type OccErrorCode = (typeof OCC_ERROR_CODES)[number];

const MOST_CHARACTERS = 200;

/** A name as a message says it: whoever gave it knows how it goes on. */
export function shortenText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  // Not between the halves of a character.
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The command line does not make sense. */
export class UsageError extends OccError {
  override readonly name = 'UsageError';
  constructor(message: string, hint?: string) {
    super(message, 'USAGE', hint === undefined ? {} : { hint });
  }
}

export class SessionNotFoundError extends OccError {
  override readonly name = 'SessionNotFoundError';
  readonly sessionId: string;
  constructor(sessionId: string, hint = "Use 'occ list' to see available sessions") {
    super(`Session '${shortenText(sessionId)}' not found`, 'SESSION_NOT_FOUND', { hint });
    this.sessionId = sessionId;
  }
}

export class AmbiguousSessionError extends OccError {
  override readonly name = 'AmbiguousSessionError';
  readonly partial: string;
  /** The ids of all of them. */
  readonly matches: readonly string[];
  /** @param shown how the message lists them */
  constructor(
    partial: string,
    matches: readonly string[],
    hint = 'Give more characters of the id, or its path',
    shown = matches,
  ) {
    super(`Multiple sessions match '${shortenText(partial)}': ${shown.join(', ')}`, 'AMBIGUOUS_SESSION', {
      hint,
    });
    this.partial = partial;
    this.matches = matches;
  }
}

export class NoSessionsError extends OccError {
  override readonly name = 'NoSessionsError';
  /** Undefined where no agent was meant. */
  readonly agentId: string | undefined;
  /** @param whose in words, where it is not one agent */
  constructor(agentId: string | undefined, hint?: string, whose = `for agent '${agentId}'`) {
    super(`No sessions found ${whose}`, 'NO_SESSIONS', hint === undefined ? {} : { hint });
    this.agentId = agentId;
  }
}

export class AgentNotFoundError extends OccError {
  override readonly name = 'AgentNotFoundError';
  readonly availableAgents: readonly string[];
  constructor(message: string, availableAgents: readonly string[] = []) {
    super(message, 'AGENT_NOT_FOUND', {
      hint:
        availableAgents.length === 0
          ? 'There are no agents in this state folder; name another with --state-dir'
          : `Available agents: ${availableAgents.join(', ')}`,
    });
    this.availableAgents = availableAgents;
  }
}

export class UnknownPresetError extends OccError {
  override readonly name = 'UnknownPresetError';
  readonly presetName: string;
  constructor(presetName: string, known: readonly string[] = []) {
    super(`Unknown preset: ${presetName}`, 'UNKNOWN_PRESET', {
      ...(known.length === 0 ? {} : { hint: `Known presets: ${known.join(', ')}` }),
    });
    this.presetName = presetName;
  }
}

/** Somebody is writing to the session, or seems to be. Nothing was changed. */
export class SessionInUseError extends OccError {
  override readonly name = 'SessionInUseError';
  constructor(message: string, hint: string) {
    super(message, 'SESSION_IN_USE', { hint });
  }
}

export class EditOperationError extends OccError {
  override readonly name = 'EditOperationError';
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'EDIT_FAILED', options);
  }
}

export class CloneOperationError extends OccError {
  override readonly name = 'CloneOperationError';
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'CLONE_FAILED', options);
  }
}

export class RestoreError extends OccError {
  override readonly name = 'RestoreError';
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'RESTORE_FAILED', options);
  }
}
