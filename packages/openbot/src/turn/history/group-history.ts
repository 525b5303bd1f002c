import { shorten } from '@openbot/sessions/terminal-text';
import type { InboxMessage } from '../../inbox/contract.ts';
import { finalizeInboundContext, readRawBody } from '../inbound/finalize-inbound-context.ts';
import { noteMedia } from '../inbound/show-media.ts';
import { resolveSenderName } from '../words/sender-label.ts';
import type { HistoryEntry } from './history-entries.ts';

/** What others said is context: a long text need not be read to its end. */
const MAX_BODY = 4000;

/** Why a message of a group got no turn that is no more than something that the group said. */
export const NOT_ADDRESSED = 'not addressed to the agent';

/**
 * The messages after the last one that had a turn. A message whose turn is being repeated after a crash, and those behind
 * it, count as unread.
 *
 * @param messages of one conversation, oldest first
 */
export function listUnanswered(messages: readonly InboxMessage[]): readonly InboxMessage[] {
  const lastRead = messages.findLastIndex(({ state }) => state === 'answered' || state === 'failed');
  return messages.slice(lastRead + 1);
}

/**
 * Of what was dropped, only what was not addressed to the agent. What a full queue pushed out is named apart; what was
 * withdrawn, and what answered a question or a coding run, is not for the agent to read.
 */
export function isHistory(message: InboxMessage): boolean {
  return message.state !== 'dropped' || message.reason === NOT_ADDRESSED;
}

export function toHistoryEntry({ ctx, identity, receivedAt }: InboxMessage): HistoryEntry {
  const media = noteMedia(ctx);
  return {
    sender: resolveSenderName(ctx) ?? 'unknown',
    body: shorten(readRawBody(ctx), MAX_BODY),
    timestamp: ctx.Timestamp ?? receivedAt,
    messageId: identity.messageId,
    ...(media !== '' && { media }),
  };
}

/** A message that the turn answers together with a later one: all of it. Its files are named with those of the turn. */
export function toTurnEntry(message: InboxMessage): HistoryEntry {
  const ctx = finalizeInboundContext(message.ctx);
  return { ...toHistoryEntry(message), body: ctx.BodyForAgent, media: undefined, ctx };
}
