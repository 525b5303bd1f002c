import type { MsgContext } from '@openbot/sessions';
import type { SendRequest } from '../contract.ts';
import { sendFailure } from '../send-failure.ts';

/** What happens to a send. Each is used up by one send, or by `times` of them. */
export type Fault =
  /** The network answers with an error and shows nothing. */
  | { readonly fault: 'refuse'; readonly isPermanent?: boolean; readonly retryAfterMs?: number }
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

  async take(request: SendRequest): Promise<{ ids: readonly string[] }> {
    this.sends++;
    const planned = this.#faults.find(
      ({ to, left }) => left > 0 && (to ?? request.target.to) === request.target.to,
    );
    if (planned === undefined) return { ids: [this.#show(request)] };
    planned.left--;
    const { fault } = planned;
    switch (fault.fault) {
      case 'refuse': {
        const { isPermanent = false, retryAfterMs } = fault;
        throw sendFailure('The network refused the message.', {
          isPermanent,
          mayHaveArrived: false,
          retryAfterMs,
        });
      }
      case 'lose answer':
        this.#show(request);
        throw sendFailure('The connection ended.', { isPermanent: false, mayHaveArrived: true });
      case 'stall':
        if (fault.isShown) this.#show(request);
        return new Promise((_, reject) => {
          const give = () => reject(request.signal.reason);
          if (request.signal.aborted) give();
          request.signal.addEventListener('abort', give, { once: true });
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
