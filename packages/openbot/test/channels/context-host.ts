import type { MsgContext } from '@openbot/sessions';
import { MemoryInboxHost } from './memory-inbox-host.ts';

/** A host that shows what it was given. */
export class ContextHost extends MemoryInboxHost {
  /** Of each message that was kept, in order. */
  readonly contexts: MsgContext[] = [];
  /** Senders whom it was asked about. */
  readonly asked: (string | undefined)[] = [];

  constructor() {
    super();
    const { accept } = this;
    this.accept = async (message) => {
      const result = await accept(message);
      if (result.isNew) this.contexts.push(message.ctx);
      return result;
    };
  }

  override async mayTalk(ctx: MsgContext): Promise<boolean> {
    this.asked.push(ctx.SenderId);
    return super.mayTalk(ctx);
  }

  get texts(): (string | undefined)[] {
    return this.contexts.map(({ RawBody }) => RawBody);
  }
}
