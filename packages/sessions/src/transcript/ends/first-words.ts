import { isJsonObject } from '../../entry/json-object.ts';
import { extractSpokenText } from '../extract.ts';
import { isMessageByProgram } from '../formats/machine-text.ts';
import { hideSecrets } from '../redact/hide-secrets.ts';
import { stripChannelPreamble } from './channel-preamble.ts';

const MAX_LENGTH = 200;
/** Written in front of the first message of a session that an agent starts. */
const ORIGIN_MARKER = /^\[openclaw:agent=([^\]\r\n]+)\]/;

/** What a person typed in one parsed line of any dialect. Undefined for all other lines. */
export function readTypedText(line: unknown): string | undefined {
  if (!isJsonObject(line) || line.isSidechain === true) return undefined;
  const { isMeta, isCompactSummary, isVisibleInTranscriptOnly, origin, message } = line;
  const originKind = isJsonObject(origin) ? origin.kind : undefined;
  if (isMessageByProgram(isMeta, isCompactSummary, isVisibleInTranscriptOnly, originKind)) return undefined;
  const spoken = extractSpokenText(line);
  if (spoken?.role !== 'user') return undefined;
  const { content } = isJsonObject(message) ? message : line;
  return Array.isArray(content) && content.some(isToolResult) ? undefined : spoken.text;
}

function isToolResult(block: unknown): boolean {
  return isJsonObject(block) && block.type === 'tool_result';
}

/** The first words of a text, or a title: at most 200 characters, without secrets. Does not split a surrogate pair. */
export function shortenWords(text: string): string {
  const whole = hideSecrets(text.trim().toWellFormed(), MAX_LENGTH);
  if (whole.length <= MAX_LENGTH) return whole;
  const last = whole.charCodeAt(MAX_LENGTH - 1);
  return whole.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_LENGTH - 1 : MAX_LENGTH);
}

/** Splits a text into the agent that its marker names and the rest. */
export function splitOriginMarker(text: string): { readonly originMarker?: string; readonly rest: string } {
  const marker = ORIGIN_MARKER.exec(text);
  if (marker === null) return { rest: text };
  const rest = text.slice(marker[0].length);
  const originMarker = marker[1]!.trim();
  return originMarker === '' ? { rest } : { originMarker, rest };
}

/**
 * The first words of the person that a conversation began with.
 * @param lines parsed, in their order; undefined for one that is not JSON
 */
export function findFirstWords(lines: Iterable<unknown>): string | undefined {
  for (const line of lines) {
    const typed = readTypedText(line);
    const words =
      typed === undefined ? '' : shortenWords(stripChannelPreamble(splitOriginMarker(typed).rest));
    if (words !== '') return words;
  }
  return undefined;
}
