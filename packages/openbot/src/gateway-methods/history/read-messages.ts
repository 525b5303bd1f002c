import type { TranscriptMessage } from '@openbot/sessions/transcript';
import {
  JOINED_MARK,
  type PathEntry,
  type TranscriptRef,
  type Transcripts,
  TURN_MARK,
  type TurnMark,
} from '../../transcripts/contract.ts';
import { plainWords } from '../../turn/words/plain-words.ts';

/** A message as clients read it. `seq` counts those of the conversation from 1. */
export interface HistoryMessage extends TranscriptMessage {
  readonly __openclaw: {
    readonly id: string;
    readonly seq: number;
    readonly idempotencyKey?: string;
    readonly recordTimestampMs?: number;
  };
}

interface Found {
  readonly id: string;
  readonly message: TranscriptMessage;
  readonly seq: number;
  readonly messageId?: string;
}

/**
 * Messages of the active path from its end, the newest first.
 * @param total how many there are: the last one has this number
 */
export async function* readMessagesBack(
  transcripts: Pick<Transcripts, 'lookBack'>,
  ref: TranscriptRef,
  total: number,
): AsyncGenerator<HistoryMessage> {
  const { entries } = await transcripts.lookBack(ref);
  let seq = total;
  /** Of a person. The line before it may say which one of the inbox it is. */
  let held: Found | undefined;
  for await (const entry of entries) {
    if (held !== undefined) {
      yield toHistory({ ...held, messageId: messageIdOf(entry) });
      held = undefined;
    }
    const { id, message } = entry;
    if (entry.type !== 'message' || id === undefined || message === undefined) continue;
    const found = { id, message, seq: Math.max(1, seq--) };
    if (message.role === 'user') held = found;
    else yield toHistory(found);
  }
  if (held !== undefined) yield toHistory(held);
}

function messageIdOf({ type, customType, data }: PathEntry): string | undefined {
  if (type !== 'custom' || (customType !== TURN_MARK && customType !== JOINED_MARK)) return undefined;
  return (data as TurnMark | undefined)?.messages?.at(-1);
}

function toHistory({ id, message, seq, messageId }: Found): HistoryMessage {
  const key = messageId === undefined ? {} : { idempotencyKey: `${messageId}:user` };
  const content = message.role === 'user' ? withoutEvents(message.content) : message.content;
  return { ...message, content, ...key, __openclaw: { id, seq, ...key } };
}

/** A client shows it as the words of the person, and compares it with what it sent. A message of events alone stays as it is. */
function withoutEvents(content: TranscriptMessage['content']): TranscriptMessage['content'] {
  if (typeof content === 'string') return plainWords(content) || content;
  if (!Array.isArray(content)) return content;
  return content.map((block) =>
    block?.type === 'text' ? { ...block, text: plainWords(String(block.text)) || block.text } : block,
  );
}
