import { OpenBotError } from '@openbot/sessions';

const MOST_CHARACTERS = 200;

/** A name as a message says it: the caller who gave it knows how it goes on. */
export function shortenText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  // Not between the halves of a character.
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function sessionNotFound(
  sessionId: string,
  hint = "Use 'occ list' to see available sessions",
): OpenBotError {
  return new OpenBotError('SESSION_NOT_FOUND', `Session '${shortenText(sessionId)}' not found`, {
    hint,
    details: { sessionId },
  });
}

/**
 * @param matches the ids of all of them
 * @param shown how the message lists them
 */
export function ambiguousSession(
  partial: string,
  matches: readonly string[],
  hint = 'Give more characters of the id, or its path',
  shown = matches,
): OpenBotError {
  const message = `Multiple sessions match '${shortenText(partial)}': ${shown.join(', ')}`;
  return new OpenBotError('AMBIGUOUS_SESSION', message, { hint, details: { partial, matches } });
}

/**
 * @param agentId undefined where no agent was meant
 * @param whose in words, where it is not one agent
 */
export function noSessions(
  agentId: string | undefined,
  hint?: string,
  whose = `for agent '${agentId}'`,
): OpenBotError {
  return new OpenBotError('NO_SESSIONS', `No sessions found ${whose}`, { hint, details: { agentId } });
}

export function agentNotFound(message: string, availableAgents: readonly string[] = []): OpenBotError {
  return new OpenBotError('AGENT_NOT_FOUND', message, {
    hint:
      availableAgents.length === 0
        ? 'There are no agents in this state folder; name another with --state-dir'
        : `Available agents: ${availableAgents.join(', ')}`,
    details: { availableAgents },
  });
}

export function unknownPreset(presetName: string, known: readonly string[] = []): OpenBotError {
  return new OpenBotError('UNKNOWN_PRESET', `Unknown preset: ${presetName}`, {
    hint: known.length === 0 ? undefined : `Known presets: ${known.join(', ')}`,
    details: { presetName },
  });
}
