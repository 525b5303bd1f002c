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

/**
 * Clients know a message that they sent by its words. Images are named by type and size, as in OpenClaw: a frame has no room
 * for them; and where files are on this machine is not for clients.
 */
function asShown(message: TranscriptMessage): TranscriptMessage {
  const { MediaPath: _path, MediaPaths: _paths, ...shown } = message;
  const { role, content } = shown;
  if (typeof content === 'string' && role === 'user') return { ...shown, content: wordsOfPerson(content) };
  if (!Array.isArray(content)) return shown;
  return { ...shown, content: content.map((block) => showBlock(block, role)) };
}

function showBlock(block: unknown, role: string): unknown {
  const { type, text, data } = (block ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'image' && typeof data === 'string') {
    const { data: _, ...rest } = block as Readonly<Record<string, unknown>>;
    return { ...rest, omitted: true, bytes: Buffer.byteLength(data, 'base64') };
  }
  if (role !== 'user' || typeof text !== 'string') return block;
  return { ...(block as object), text: wordsOfPerson(text) };
}
