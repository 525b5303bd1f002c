import type { TranscriptMessage } from '@openbot/sessions/transcript';
import {
  JOINED_MARK,
  type PathEntry,
  type TranscriptRef,
  type Transcripts,
  TURN_MARK,
  type TurnMark,
} from '../../transcripts/contract.ts';
import { wordsOfPerson } from '../../turn/words/words-of-person.ts';

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
  return { ...asShown(message), ...key, __openclaw: { id, seq, ...key } };
}

/** Clients know a message that they sent by its words. */
function asShown(message: TranscriptMessage): TranscriptMessage {
  const { role, content } = message;
  if (role !== 'user') return message;
  if (typeof content === 'string') return { ...message, content: wordsOfPerson(content) };
  if (!Array.isArray(content)) return message;
  const shown = content.map((block: unknown) => {
    const { text } = (block ?? {}) as { readonly text?: unknown };
    return typeof text === 'string' ? { ...(block as object), text: wordsOfPerson(text) } : block;
  });
  return { ...message, content: shown };
}
