import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { HostCalls } from './contract.ts';
import { type CallName, readError, type ToGateway, type ToHost } from './ipc.ts';

interface Waiting {
  readonly message: Extract<ToHost, { call: number }>;
  readonly timer: NodeJS.Timeout;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** More than this at once means that nothing is answered. */
const MOST_WAITING = 1000;

const NAMES: readonly CallName[] = [
  'accept',
  'abort',
  'withdraw',
  'send',
  'addSystemEvent',
  'receiveHttp',
  'say',
  'tellSay',
];

/** A turn has limits of its own. ms */
const LONGEST_SAY = 2_000_000_000;

/**
 * Calls that have no answer yet. Each can be repeated without harm, so those that a process took with it when it died are
 * given to the next one.
 */
export class HostCallQueue {
  readonly #waiting = new Map<number, Waiting>();
  readonly #callMs: number;
  readonly #send: (message: ToHost) => boolean;
  readonly #trouble: () => string | undefined;
  #next = 0;
  #refusal: Error | undefined;

  constructor(
    callMs: number,
    host: {
      /** False when there is no process that could take it now. */
      send(message: ToHost): boolean;
      /** Why there is none. */
      trouble(): string | undefined;
    },
  ) {
    this.#callMs = callMs;
    this.#send = host.send;
    this.#trouble = host.trouble;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** @param onCall a process is needed */
  makeCalls(onCall: () => void): HostCalls {
    const call =
      (name: CallName) =>
      (...args: readonly unknown[]) => {
        const waitMs = name === 'send' ? Number(args[1]) : name === 'say' ? LONGEST_SAY : 0;
        const answer = this.#call(name, args, waitMs);
        onCall();
        return answer;
      };
    return Object.fromEntries(NAMES.map((name) => [name, call(name)])) as unknown as HostCalls;
  }

  /** To a process that has just started. */
  sendAll(): void {
    for (const { message } of this.#waiting.values()) this.#send(message);
  }

  settle(answer: Extract<ToGateway, { result: number }>): void {
    const waiting = this.#waiting.get(answer.result);
    if (waiting === undefined) return;
    this.#forget(waiting);
    if ('error' in answer) waiting.reject(readError(answer.error));
    else waiting.resolve(answer.value ?? undefined);
  }

  /** From now on, too. */
  refuseAll(error: Error): void {
    this.#refusal = error;
    for (const waiting of [...this.#waiting.values()]) {
      this.#forget(waiting);
      waiting.reject(error);
    }
  }

  #call(name: CallName, args: readonly unknown[], extraMs: number): Promise<unknown> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    if (this.#waiting.size >= MOST_WAITING) return Promise.reject(tooSlow('too many requests wait for them'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const message = { call: ++this.#next, name, args };
    const timer = setTimeout(() => {
      this.#forget(waiting);
      const why = this.#trouble();
      reject(
        tooSlow(why === undefined ? 'they did not answer in time' : `their process does not start: ${why}`),
      );
    }, this.#callMs + extraMs);
    const waiting: Waiting = { message, timer, resolve, reject };
    this.#waiting.set(message.call, waiting);
    this.#send(message);
    return promise;
  }

  #forget({ message, timer }: Waiting): void {
    clearTimeout(timer);
    this.#waiting.delete(message.call);
  }
}

function tooSlow(why: string): Error {
  const more = { retryable: true, retryAfterMs: 1000 };
  return refuse('UNAVAILABLE', `the agents are not available: ${why}`, more);
}
