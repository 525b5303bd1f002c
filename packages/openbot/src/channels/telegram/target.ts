import { OpenBotError } from '@openbot/sessions';
import type { DeliveryTarget } from '../../outbox/contract.ts';
import { sendFailure } from '../send-failure.ts';

export interface ChatPlace {
  /** A number, or `@name` of a public chat. */
  readonly chatId: number | string;
  /** Of a topic. */
  readonly threadId?: number;
}

/** The topic that a forum begins with. Messages go there without an id; actions need it. */
export const GENERAL_TOPIC = 1;

const ADDRESS =
  /^(?:(?:telegram|tg):)?(?:(?:group|channel):)?(-?\d{1,16}|@[A-Za-z]\w{3,63})(?::(?:topic:)?(\d{1,16}))?$/i;

/** `telegram:777`, `777`, `telegram:-100123:topic:42`, `@name`. */
export function readTarget({ to, threadId }: Pick<DeliveryTarget, 'to' | 'threadId'>): ChatPlace {
  const [, chat, topic] = ADDRESS.exec(to.trim()) ?? [];
  if (chat === undefined)
    throw sendFailure(`${JSON.stringify(to.slice(0, 100))} is no chat of Telegram`, {
      isPermanent: true,
      mayHaveArrived: false,
      reason: 'gone',
    });
  const thread = Number(threadId ?? topic);
  return {
    chatId: chat.startsWith('@') ? chat : Number(chat),
    ...(Number.isSafeInteger(thread) && thread > 0 && { threadId: thread }),
  };
}

/** One spelling for all addresses of a chat and a topic. */
export function canonicalTarget(target: DeliveryTarget): DeliveryTarget {
  const { chatId, threadId } = readTarget(target);
  const { threadId: _, ...place } = target;
  const isTopic = threadId !== undefined && threadId !== GENERAL_TOPIC;
  const topic = isTopic ? `:topic:${threadId}` : '';
  return {
    ...place,
    // Telegram takes names of chats in any case.
    to: `telegram:${String(chatId).toLowerCase()}${topic}`,
    ...(isTopic && { threadId }),
  };
}

/** The id of a message as Telegram has it. */
export function readMessageId(id: string): number {
  if (/^\d{1,16}$/.test(id)) return Number(id);
  throw new OpenBotError('INVALID_ARGUMENT', `${JSON.stringify(id.slice(0, 100))} is no message of Telegram`);
}
