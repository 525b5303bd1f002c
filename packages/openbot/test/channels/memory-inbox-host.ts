import type { ChannelHost } from '../../src/channels/contract.ts';

type Accept = ChannelHost['accept'];

/** A host that keeps messages by their identity, and can fail to. */
export class MemoryInboxHost implements ChannelHost {
  readonly #known = new Set<string>();
  /** Conversation, message id and text of each message that was kept. */
  readonly taken: (readonly [string, string, string | undefined])[] = [];
  /** How many of the next messages are not kept. */
  failures = 0;
  calls = 0;

  accept: Accept = async ({ conversationId, messageId, ctx }) => {
    this.calls++;
    // A disk takes its time: a channel that confirms too early is found out.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.failures > 0) {
      this.failures--;
      throw new Error('The disk is full.');
    }
    const key = JSON.stringify([conversationId, messageId]);
    const isNew = !this.#known.has(key);
    this.#known.add(key);
    if (isNew) this.taken.push([conversationId, messageId, ctx.RawBody ?? ctx.Body]);
    const identity = { channel: 'any', accountId: 'any', conversationId, messageId };
    const session = { agentId: 'main', sessionKey: 'agent:main:main' };
    const kept = { ...session, identity, ctx, receivedAt: 0, seq: this.#known.size, tries: 0 };
    return { identity, isNew, message: { ...kept, state: 'received' } };
  };
}
