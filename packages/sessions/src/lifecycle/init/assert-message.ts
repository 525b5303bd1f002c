import { OpenBotError } from '../../errors.ts';
import type { MsgContext } from '../../message/msg-context.ts';

const TEXT_FIELDS = [
  'AgentId',
  'BotUsername',
  'CommandTargetSessionKey',
  'ParentSessionKey',
  'Provider',
  'SessionKey',
  'ThreadLabel',
  'ThreadStarterBody',
] as const satisfies readonly (keyof MsgContext)[];

/** Adapters are programs of others: what they pass as a message may be anything. INVALID_ARGUMENT if it is none. */
export function assertMessage(ctx: unknown): asserts ctx is MsgContext {
  if (typeof ctx !== 'object' || ctx === null || Array.isArray(ctx)) {
    throw refuse('ctx must be an object');
  }
  const message = ctx as Record<string, unknown>;
  for (const field of TEXT_FIELDS) {
    const value = message[field];
    if (value != null && typeof value !== 'string') {
      throw refuse(`ctx.${field} must be text, not ${typeof value}`);
    }
  }
  const threadId = message.MessageThreadId;
  if (threadId != null && typeof threadId !== 'string' && typeof threadId !== 'number') {
    throw refuse(`ctx.MessageThreadId must be text or a number, not ${typeof threadId}`);
  }
}

function refuse(message: string): OpenBotError {
  return new OpenBotError('INVALID_ARGUMENT', message, {
    hint: 'Nothing was changed. Pass the message as the channel adapter makes it.',
  });
}
