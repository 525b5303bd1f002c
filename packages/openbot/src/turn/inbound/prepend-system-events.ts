import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import type { SystemEvent } from '../../inbox/contract.ts';
import { rememberZones } from '../agent-time.ts';
import { cleanText } from '../words/clean-text.ts';
import { SYSTEM_PREFIX } from '../words/markers.ts';

const MAX_EVENT = 2000;

const timeParts = rememberZones({
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/**
 * Puts what happened since the last message in front of it, one line for each event with its time in the agent's zone:
 * `System: [2026-01-12 12:19:17 PST] Model switched.` A new main session begins with the summary of the channels.
 */
export function prependSystemEvents(params: {
  events: readonly SystemEvent[];
  /** Lines about one time, which the first one names. */
  news?: { readonly lines: readonly string[]; readonly at: number };
  /** IANA name. UTC when absent or unknown. */
  timeZone?: string;
  /** One line for each channel, see `Channel.summary`. */
  channelSummary?: readonly string[];
  isMainSession: boolean;
  isNewSession: boolean;
  prefixedBodyBase: string;
}): string {
  const {
    events,
    news,
    timeZone,
    channelSummary = [],
    isMainSession,
    isNewSession,
    prefixedBodyBase,
  } = params;
  const lines = [
    ...(isMainSession && isNewSession ? channelSummary.map((line) => oneLine(line)) : []),
    ...events
      .filter((event) => event.text.trim() !== '')
      .map((event) => `[${formatEventTime(event.at, timeZone)}] ${shorten(oneLine(event.text), MAX_EVENT)}`),
  ].filter((line) => line !== '');
  const parts = lines.map((line) => `${SYSTEM_PREFIX}${line}`);
  if (news !== undefined && news.lines.length > 0)
    parts.push(formatSystemPart({ text: news.lines.join('\n'), at: news.at }, timeZone));
  if (parts.length === 0) return prefixedBodyBase;
  return `${parts.join('\n')}\n\n${prefixedBodyBase}`;
}

/**
 * A text of ours as a part of a message: each of its lines is marked, so that none of them passes for words of a person.
 * The first one has the time: `System: [2026-01-12 12:19:17 PST] Your notes have changed:`.
 */
export function formatSystemPart({ text, at }: SystemEvent, timeZone?: string): string {
  const lines = `[${formatEventTime(at, timeZone)}] ${cleanText(text.trim())}`.split('\n');
  return lines.map((line) => SYSTEM_PREFIX + line).join('\n');
}

/** `2026-01-12 12:19:17 PST` */
export function formatEventTime(at: number, timeZone = 'UTC'): string {
  const parts = timeParts(at, timeZone);
  const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  return `${date} ${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')} ${parts.get('timeZoneName')}`;
}
