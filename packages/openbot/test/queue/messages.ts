import type { QueueSettings } from '@openbot/sessions/policy';
import type { Arrival, InboxMessage, InboxState, MessageKind } from '../../src/inbox/contract.ts';
import type { QueueRules } from '../../src/queue/plan.ts';

export const SETTINGS: QueueSettings = {
  mode: 'collect',
  debounceMs: 1000,
  cap: 20,
  dropPolicy: 'summarize',
};

export interface Wanted {
  readonly id?: string;
  readonly text?: string;
  readonly conversation?: string;
  readonly channel?: string;
  readonly sessionKey?: string;
  readonly agentId?: string;
  readonly threadId?: string;
  readonly sender?: string;
  readonly receivedAt?: number;
}

let last = 0;

export function arrival({
  id = `id-${++last}`,
  text = `text of ${id}`,
  conversation = 'chat',
  channel = 'memory',
  agentId = 'main',
  sessionKey = `agent:${agentId}:main`,
  threadId,
  sender,
  receivedAt = 0,
}: Wanted = {}): Arrival {
  return {
    identity: { channel, accountId: 'default', conversationId: conversation, messageId: id },
    agentId,
    sessionKey,
    ctx: {
      RawBody: text,
      ...(threadId === undefined ? {} : { MessageThreadId: threadId }),
      ...(sender === undefined ? {} : { SenderName: sender }),
    },
    receivedAt,
  };
}

export function message(
  seq: number,
  wanted: Wanted = {},
  state: InboxState = { state: 'received' },
): InboxMessage {
  return { ...arrival({ id: `m${seq}`, ...wanted }), ...state, seq, tries: 0 };
}

export const queued: InboxState = { state: 'queued' };

/** A text that begins with a slash is a command; `/stop` stops. */
export function kindOf({ ctx }: Pick<InboxMessage, 'ctx'>): MessageKind {
  if (ctx.RawBody === '/stop') return 'stop';
  return ctx.RawBody?.startsWith('/') ? 'command' : 'text';
}

export function rules(settings: Partial<QueueSettings> = {}, now = 0): QueueRules {
  return { now, kindOf, settingsOf: () => ({ ...SETTINGS, ...settings }) };
}

export const seqsOf = (messages: readonly { readonly seq: number }[]) => messages.map(({ seq }) => seq);
