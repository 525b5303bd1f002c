import type { InlineSetting } from '../../chat-commands/parse-words.ts';
import type { InboxMessage } from '../../inbox/contract.ts';
import type { TurnTools } from '../turn-tools.ts';

/** Settings inside the messages of a turn, in order. They hold for its run alone, and the model does not read them. */
export function listInlineSettings(
  tools: TurnTools,
  messages: readonly InboxMessage[],
): readonly InlineSetting[] {
  return messages.flatMap((message) => {
    const words = tools.wordsOf(message);
    return words.is === 'inside' ? words.settings : [];
  });
}

/** The message that is answered, with the model that one of the messages asks for. */
export function withHintedModel(tools: TurnTools, messages: readonly InboxMessage[]): InboxMessage {
  const message = messages.at(-1)!;
  const model = listInlineSettings(tools, messages).findLast(({ name }) => name === 'model')?.value;
  if (model === undefined || message.wish?.model !== undefined) return message;
  return { ...message, wish: { ...message.wish, model } };
}
