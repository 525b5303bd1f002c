import { normalizeAgentId } from '@openbot/sessions';
import { hideSecrets } from './hide-secrets.ts';

const MAX_LENGTH = 200;
/** What `markOrigin` writes, at the beginning of the text only. */
const MARKER = /^\[openclaw:agent=([^\]\r\n]+)\]/;

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
  const { originMarker, rest } = splitMarker(typed);
  const text = shorten(rest);
  return originMarker === undefined ? { text } : { text, originMarker };
}

/** The title of a session: at most 200 characters, without secrets. */
export function readTitle(title: string): string {
  return shorten(title);
}

/** Splits a text into the agent that its marker names and the rest. */
export function splitMarker(text: string): { readonly originMarker?: string; readonly rest: string } {
  const marker = MARKER.exec(text);
  if (marker === null) return { rest: text };
  const rest = text.slice(marker[0].length);
  const originMarker = marker[1]!.trim();
  return originMarker === '' ? { rest } : { originMarker, rest };
}

/** Does not split a surrogate pair. */
function shorten(text: string): string {
  const whole = hideSecrets(text.trim().toWellFormed(), MAX_LENGTH);
  if (whole.length <= MAX_LENGTH) return whole;
  const last = whole.charCodeAt(MAX_LENGTH - 1);
  return whole.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_LENGTH - 1 : MAX_LENGTH);
}
