import type { QueueDropPolicy } from '@openbot/sessions/policy';
import type { InboxMessage } from '../inbox/contract.ts';

/** Messages that leave the queue without a turn. */
export interface Drop {
  readonly seqs: readonly number[];
  readonly reason: string;
}

const REASONS: Readonly<Record<QueueDropPolicy, string>> = {
  old: 'queue full: the oldest gives way',
  new: 'queue full: the newest gives way',
  summarize: 'queue full: named in the next turn',
};

export const WITHDRAWN = 'withdrawn: the sender asked to stop';

/** What a queue of this length must give up, by its policy. */
export function dropOverflow(
  queue: readonly InboxMessage[],
  { limit, policy }: { limit: number; policy: QueueDropPolicy },
): readonly Drop[] {
  const excess = queue.length - limit;
  if (excess <= 0) return [];
  const given = policy === 'new' ? queue.slice(-excess) : queue.slice(0, excess);
  return [{ seqs: given.map(({ seq }) => seq), reason: REASONS[policy] }];
}

/**
 * The messages that a turn has to name because a full queue pushed them out. They are found in what the conversation
 * has kept, so that a turn that is repeated after a crash names the same ones: those between its first message and the
 * last message before it that had a turn.
 * @param earlier what the conversation has before the turn
 */
export function findLeftOut(earlier: readonly InboxMessage[]): readonly InboxMessage[] {
  const lastTurn = earlier.findLastIndex(({ state }) => state !== 'dropped');
  return earlier
    .slice(lastTurn + 1)
    .filter((message) => message.state === 'dropped' && message.reason === REASONS.summarize);
}

const MOST_LINES = 20;
const MOST_CHARACTERS = 160;

/** For the agent: one line for each message, the newest ones when there are too many. */
export function describeLeftOut(leftOut: readonly InboxMessage[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const shown = leftOut.slice(-MOST_LINES);
  const hidden = leftOut.length - shown.length;
  return [
    leftOut.length === 1
      ? '[1 earlier message was left out because the queue was full]'
      : `[${leftOut.length} earlier messages were left out because the queue was full]`,
    ...(hidden === 0 ? [] : [`- (${hidden} older ones are not shown)`]),
    ...shown.map(describe),
  ].join('\n');
}

function describe({ ctx }: InboxMessage): string {
  const sender = oneLine(ctx.SenderName ?? ctx.SenderUsername ?? '', 40);
  const text = oneLine(
    ctx.RawBody ?? ctx.BodyForCommands ?? ctx.CommandBody ?? ctx.Body ?? '',
    MOST_CHARACTERS,
  );
  return `- ${sender === '' ? '' : `${sender}: `}${text === '' ? '(no text)' : text}`;
}

function oneLine(text: string, most: number): string {
  // Longer texts are cut before they are taken apart: a message may have 10 MB.
  const plain = text
    .slice(0, most * 8)
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= most ? plain : `${characters.slice(0, most - 1).join('')}…`;
}
