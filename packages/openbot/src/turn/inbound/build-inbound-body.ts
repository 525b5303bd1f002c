import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import type { SystemEvent } from '../../inbox/contract.ts';
import { buildHistoryContext } from '../history/build-history-context.ts';
import { formatEnvelope } from '../history/format-envelope.ts';
import type { HistoryEntry } from '../history/history-entries.ts';
import { guardText } from '../words/guard-text.ts';
import { normalizeInboundTextNewlines } from '../words/normalize-inbound-text-newlines.ts';
import { resolveSenderName } from '../words/sender-label.ts';
import { appendUntrustedContext } from './append-untrusted-context.ts';
import { formatInboundBodyWithSenderMeta } from './format-inbound-body-with-sender-meta.ts';
import { addQuotes } from './format-quotes.ts';
import { prependSystemEvents } from './prepend-system-events.ts';

export interface InboundBodyParams {
  ctx: MsgContext;
  /** The words for the agent: `BodyStripped` of the session's context. */
  body: string;
  /** Lines that name its files. */
  media?: string;
  /** Of the queue, about the messages that the turn answers. */
  note?: string;
  /** For a group: where the message was written. */
  group?: { readonly channel: string; readonly conversation: string };
  /**
   * Oldest first, without the current message: what a group said since the last reply; in a direct conversation only the
   * messages that the same turn answers.
   */
  history?: readonly HistoryEntry[];
  events?: readonly SystemEvent[];
  /** What the conversation does not know yet. */
  news?: { readonly lines: readonly string[]; readonly at: number };
  channelSummary?: readonly string[];
  /** IANA name. */
  timeZone?: string;
  isMainSession: boolean;
  isNewSession: boolean;
}

/**
 * What the model reads as the message of the person. From the first line to the last: system events, the queue's note, the group's history,
 * the current message with its files and what it quotes, its sender, untrusted context. Words of people are guarded here and only here.
 */
export function buildInboundBody(params: InboundBodyParams): string {
  const {
    ctx,
    group,
    history = [],
    events = [],
    news,
    channelSummary,
    timeZone,
    isMainSession,
    isNewSession,
  } = params;
  const body = normalizeInboundTextNewlines(params.body);
  const isGroup = group !== undefined && isGroupMessage(ctx);
  const sender = resolveSenderName(ctx) ?? 'unknown';
  const write = (from: string, words: string, timestamp: number | undefined) =>
    isGroup ? formatEnvelope({ ...group, sender: from, timestamp }, words) : guardText(words);
  const currentMessage = behind(
    params.media,
    formatInboundBodyWithSenderMeta({
      ctx,
      body: addQuotes(write(sender, body, ctx.Timestamp), ctx, { isNewSession }),
    }),
  );
  const formatEntry = (entry: HistoryEntry) =>
    behind(
      entry.media,
      addQuotes(
        write(entry.sender, normalizeInboundTextNewlines(entry.body), entry.timestamp),
        entry.ctx ?? {},
        { isNewSession: false },
      ),
    );
  const withHistory = isGroup
    ? buildHistoryContext({ entries: history, currentMessage, formatEntry })
    : [...history.map(formatEntry), currentMessage].filter((text) => text !== '').join('\n\n');
  const said = appendUntrustedContext(withHistory, ctx.UntrustedContext);
  return prependSystemEvents({
    events,
    news,
    timeZone,
    channelSummary,
    isMainSession,
    isNewSession,
    prefixedBodyBase: params.note === undefined ? said : `${params.note}\n\n${said}`,
  });
}

function behind(lines: string | undefined, text: string): string {
  return [lines ?? '', text].filter((part) => part !== '').join('\n');
}
