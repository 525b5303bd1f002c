import { normalizeAgentId } from '@openbot/sessions';
import { shortenWords, splitOriginMarker } from '@openbot/sessions/lines';

interface FirstMessage {
  /** At most 200 characters, without secrets; empty if the message is only a marker. */
  readonly text: string;
  readonly originMarker?: string;
}

/** The first message of a session that an agent starts: names the agent to readers of the transcript. */
export function markOrigin(agentId: string, task: string): string {
  return `[openclaw:agent=${normalizeAgentId(agentId)}]\n\n${task}`;
}

export function readFirstMessage(typed: string): FirstMessage {
  const { originMarker, rest } = splitOriginMarker(typed);
  const text = shortenWords(rest);
  return originMarker === undefined ? { text } : { text, originMarker };
}
