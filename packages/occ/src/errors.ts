import { OpenBotError } from '@openbot/sessions';

const MOST_CHARACTERS = 200;

/** A name as a message says it: the caller who gave it knows how it goes on. */
export function shortenText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  // Not between the halves of a character.
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

type ErrorOptions = NonNullable<ConstructorParameters<typeof OpenBotError>[2]>;

/** Every failure with a code is an instance, also one of the libraries below. */
export class OccError extends OpenBotError {
  override readonly name: string = 'OccError';

  /** @param more the cause, or that and the rest */
  constructor(message: string, code: string, more: Error | ErrorOptions = {}) {
    super(code, message, more instanceof Error ? { cause: more } : more);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the subclasses inherit this method
    const expected = this === OccError ? OpenBotError : this;
    return Function.prototype[Symbol.hasInstance].call(expected, value);
  }
}

export class SessionNotFoundError extends OccError {
  override readonly name = 'SessionNotFoundError';
  readonly sessionId: string;

  constructor(sessionId: string, hint = "Use 'occ list' to see available sessions") {
    const message = `Session '${shortenText(sessionId)}' not found`;
    super(message, 'SESSION_NOT_FOUND', { hint, details: { sessionId } });
    this.sessionId = sessionId;
  }
}

export class AmbiguousSessionError extends OccError {
  override readonly name = 'AmbiguousSessionError';
  readonly partial: string;
  readonly matches: string[];

  /**
   * @param matches the ids of all of them
   * @param shown how the message lists them
   */
  constructor(
    partial: string,
    matches: string[],
    hint = 'Give more characters of the id, or its path',
    shown = matches,
  ) {
    const message = `Multiple sessions match '${shortenText(partial)}': ${shown.join(', ')}`;
    super(message, 'AMBIGUOUS_SESSION', { hint, details: { partial, matches } });
    this.partial = partial;
    this.matches = matches;
  }
}

export class EditOperationError extends OccError {
  override readonly name = 'EditOperationError';
  declare readonly cause?: Error;

  constructor(message: string, more?: Error | ErrorOptions) {
    super(message, 'EDIT_FAILED', more);
  }
}

export class CloneOperationError extends OccError {
  override readonly name = 'CloneOperationError';
  declare readonly cause?: Error;

  constructor(message: string, more?: Error | ErrorOptions) {
    super(message, 'CLONE_FAILED', more);
  }
}

export class RestoreError extends OccError {
  override readonly name = 'RestoreError';

  constructor(message: string, more?: Error | ErrorOptions) {
    super(message, 'RESTORE_FAILED', more);
  }
}

export class NoSessionsError extends OccError {
  override readonly name = 'NoSessionsError';
  /** Empty where no agent was meant, or several were. */
  readonly agentId: string;

  /** @param whose in words, where it is not one agent */
  constructor(agentId: string, hint?: string, whose = `for agent '${agentId}'`) {
    super(`No sessions found ${whose}`, 'NO_SESSIONS', { hint, details: { agentId: agentId || undefined } });
    this.agentId = agentId;
  }
}

export class UnknownPresetError extends OccError {
  override readonly name = 'UnknownPresetError';
  readonly presetName: string;

  constructor(presetName: string, known: readonly string[] = []) {
    super(`Unknown preset: ${presetName}`, 'UNKNOWN_PRESET', {
      hint: known.length === 0 ? undefined : `Known presets: ${known.join(', ')}`,
      details: { presetName },
    });
    this.presetName = presetName;
  }
}

export class AgentNotFoundError extends OccError {
  override readonly name = 'AgentNotFoundError';
  readonly availableAgents?: string[];

  constructor(message: string, availableAgents: string[] = []) {
    super(message, 'AGENT_NOT_FOUND', {
      hint:
        availableAgents.length === 0
          ? 'There are no agents in this state folder; name another with --state-dir'
          : `Available agents: ${availableAgents.join(', ')}`,
      details: { availableAgents },
    });
    this.availableAgents = availableAgents;
  }
}
