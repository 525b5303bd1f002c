import type { MsgContext } from '@openbot/sessions';
import { amendContext } from '../../src/bot/amend-context.ts';
import type { ChannelHost, DeliveryReceipt } from '../../src/channels/contract.ts';

type Accept = ChannelHost['accept'];

/** A host that keeps messages by their identity, and can fail to. */
export class MemoryInboxHost implements ChannelHost {
  /** By conversation and id, as they are kept now. */
  readonly contextsById = new Map<string, MsgContext>();
  /** Conversation, message id and text of each message that was kept. */
  readonly taken: (readonly [string, string, string | undefined])[] = [];
  /** Of each message that was kept, by its text. */
  readonly byText = new Map<string, MsgContext>();
  /** How many of the next messages are not kept. */
  failures = 0;
  calls = 0;

  /** Conversation, message id and text of each message that was changed. */
  readonly amended: (readonly [string, string, string | undefined])[] = [];
  readonly receipts: DeliveryReceipt[] = [];
  readonly reports: string[] = [];
  /** Ids of senders who are not heard. */
  readonly strangers = new Set<string>();
  readonly #notes = new Map<string, string>();

  readonly notes: ChannelHost['notes'] = {
    read: async (name) => this.#notes.get(name),
    write: async (name, text) => {
      if (text === undefined) this.#notes.delete(name);
      else this.#notes.set(name, text);
    },
  };

  async amend({ conversationId, messageId, ctx }: Parameters<ChannelHost['amend']>[0]): Promise<void> {
    this.amended.push([conversationId, messageId, ctx.RawBody ?? ctx.Body]);
    const key = JSON.stringify([conversationId, messageId]);
    const former = this.contextsById.get(key);
    if (former !== undefined) this.contextsById.set(key, amendContext(former, ctx));
  }

  /** A message as it is kept now. */
  kept(conversationId: string, messageId: string): MsgContext | undefined {
    return this.contextsById.get(JSON.stringify([conversationId, messageId]));
  }

  async receipt(receipt: DeliveryReceipt): Promise<void> {
    this.receipts.push(receipt);
  }

  async mayTalk({ SenderId = '' }: MsgContext): Promise<boolean> {
    return !this.strangers.has(SenderId);
  }

  report(message: string): void {
    this.reports.push(message);
  }

  accept: Accept = async ({ conversationId, messageId, ctx }) => {
    this.calls++;
    // A disk takes its time: a channel that confirms too early is found out.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.failures > 0) {
      this.failures--;
      throw new Error('The disk is full.');
    }
    const key = JSON.stringify([conversationId, messageId]);
    const isNew = !this.contextsById.has(key);
    if (isNew) {
      this.contextsById.set(key, ctx);
      this.taken.push([conversationId, messageId, ctx.RawBody ?? ctx.Body]);
      this.byText.set(ctx.RawBody ?? ctx.Body ?? '', ctx);
    }
    const identity = { channel: 'any', accountId: 'any', conversationId, messageId };
    const session = { agentId: 'main', sessionKey: 'agent:main:main' };
    const kept = { ...session, identity, ctx, receivedAt: 0, seq: this.contextsById.size, tries: 0 };
    return { identity, isNew, message: { ...kept, state: 'received' } };
  };
}
