import type { MsgContext } from '@openbot/sessions';
import type { DeliveryTarget } from '../../outbox/contract.ts';
import type { MenuCommand, SendFailureReason, SendRequest } from '../contract.ts';
import { sendFailure } from '../send-failure.ts';

/** What happens to a send. Each is used up by one send, or by `times` of them. */
export type Fault =
  /** The network answers with an error and shows nothing. */
  | {
      readonly fault: 'refuse';
      readonly isPermanent?: boolean;
      readonly retryAfterMs?: number;
      readonly reason?: SendFailureReason;
    }
  /** The message is shown, and the answer is lost. */
  | { readonly fault: 'lose answer' }
  /** No answer until the sender gives up. `isShown`: the message arrives all the same. */
  | { readonly fault: 'stall'; readonly isShown?: boolean }
  /** As a stall, of an adapter that does not obey its signal either. */
  | { readonly fault: 'hang' };

export interface ShownMessage extends Pick<SendRequest, 'key' | 'target' | 'payload' | 'mayBeRepeat'> {
  readonly id: string;
}

export interface WrittenMessage {
  readonly conversationId: string;
  readonly messageId: string;
  readonly ctx: MsgContext;
}

/** A chat network in memory. It outlives the channels that connect to it, as a real one outlives our process. */
export class MemoryNetwork {
  readonly #recognisesRepeats: boolean;
  readonly #faults: { readonly fault: Fault; readonly to: string | undefined; left: number }[] = [];
  readonly #unconfirmed: WrittenMessage[] = [];
  /** What people see, in order. */
  readonly shown: ShownMessage[] = [];
  /** Each text that a message was given, in order. */
  readonly edits: { readonly id: string; readonly text: string }[] = [];
  /** Of the bot, by the id of the message. */
  readonly reactions = new Map<string, string>();
  /** Who was shown that an answer is on its way. */
  readonly activity: string[] = [];
  commands: readonly MenuCommand[] = [];
  /** Sends that reached the network, whatever became of them. */
  sends = 0;

  constructor({ recognisesRepeats = false }: { readonly recognisesRepeats?: boolean } = {}) {
    this.#recognisesRepeats = recognisesRepeats;
  }

  get recognisesRepeats(): boolean {
    return this.#recognisesRepeats;
  }

  /** Of the next sends, to one recipient when `to` is given. Faults are used in the order in which they were added. */
  addFault(fault: Fault, { to, times = 1 }: { readonly to?: string; readonly times?: number } = {}): void {
    this.#faults.push({ fault, to, left: times });
  }

  /** Resolves with the id that it gives the message. */
  async take(request: SendRequest): Promise<string> {
    this.sends++;
    return this.#answer(request, () => this.#show(request));
  }

  async edit(target: DeliveryTarget, id: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#answer({ target, signal }, () => {
      const at = this.shown.findIndex((message) => message.id === id);
      const message = this.shown[at];
      if (message === undefined)
        throw sendFailure('There is no such message.', {
          isPermanent: true,
          mayHaveArrived: false,
          reason: 'gone',
        });
      this.shown[at] = { ...message, payload: { ...message.payload, text } };
      this.edits.push({ id, text });
      return id;
    });
  }

  react(messageId: string, emoji: string | undefined): void {
    if (emoji === undefined) this.reactions.delete(messageId);
    else this.reactions.set(messageId, emoji);
  }

  /** @param show what happens where no fault is in the way; its result is the answer */
  async #answer(
    { target, signal }: Pick<SendRequest, 'target' | 'signal'>,
    show: () => string,
  ): Promise<string> {
    const planned = this.#faults.find(({ to, left }) => left > 0 && (to ?? target.to) === target.to);
    if (planned === undefined) return show();
    planned.left--;
    const { fault } = planned;
    switch (fault.fault) {
      case 'refuse': {
        const { isPermanent = false, retryAfterMs, reason } = fault;
        throw sendFailure('The network refused the message.', {
          isPermanent,
          mayHaveArrived: false,
          retryAfterMs,
          reason,
        });
      }
      case 'lose answer':
        show();
        throw sendFailure('The connection ended.', { isPermanent: false, mayHaveArrived: true });
      case 'stall':
        if (fault.isShown) show();
        return new Promise((_, reject) => {
          const give = () => reject(signal.reason);
          if (signal.aborted) give();
          signal.addEventListener('abort', give, { once: true });
        });
      case 'hang':
        return new Promise(() => {});
    }
  }

  #show({ key, target, payload, mayBeRepeat }: SendRequest): string {
    const former = this.#recognisesRepeats ? this.shown.find((message) => message.key === key) : undefined;
    if (former !== undefined) return former.id;
    const id = `sent-${this.shown.length + 1}`;
    this.shown.push({ id, key, target, payload, mayBeRepeat });
    return id;
  }

  /** A person writes. It is delivered again and again until it is confirmed. */
  write(message: WrittenMessage): void {
    this.#unconfirmed.push(message);
  }

  get unconfirmed(): readonly WrittenMessage[] {
    return this.#unconfirmed;
  }

  confirm(message: WrittenMessage): void {
    const at = this.#unconfirmed.indexOf(message);
    if (at >= 0) this.#unconfirmed.splice(at, 1);
  }
}
