import { OpenBotError } from '@openbot/sessions';
import type { Clock } from '../clock.ts';
import type { Inbox, InboxMessage } from '../inbox/contract.ts';
import type { HeldRun } from '../run-lock/contract.ts';
import { abortReason } from '../runners/abort.ts';
import type { Steer, TurnWork } from './contract.ts';
import type { Drop } from './overflow.ts';
import { planArrivals, type QueueRules, type RunningTurn, targetOf } from './plan.ts';

export interface ActiveTurnOptions {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** How often to look for messages that another process accepted. */
  readonly pollMs: number;
  readonly lock: HeldRun;
  readonly work: Omit<TurnWork, 'signal' | 'lock' | 'openSteering' | 'joined' | 'begun'>;
  readonly begun: Promise<void>;
  /** Other messages wait already. */
  readonly othersWait: boolean;
  /** Some of them may join the turn, or end it. */
  readonly lookAtOnce: boolean;
  /** Messages without an end that may concern the turn. */
  waiting(): Promise<readonly InboxMessage[]>;
  makeRules(messages: readonly InboxMessage[]): Promise<QueueRules>;
  drop(drop: Drop, among: readonly InboxMessage[]): Promise<void>;
  onTrouble(error: unknown): void;
}

/** A turn while it runs. It looks for messages that arrive, and does with them what their queue mode says. */
export class ActiveTurn {
  readonly work: TurnWork;
  readonly #options: ActiveTurnOptions;
  readonly #controller = new AbortController();
  readonly #target: string;
  readonly #offered = new Set<number>();
  readonly #hints = new Set<number>();
  readonly #joined = new Set<number>();
  readonly #watching: Promise<void>;
  #steer: Steer | undefined;
  #steering: RunningTurn['steering'] = 'not yet';
  #isOver = false;
  /** At one of the looks, that before the turn included. */
  #sawOthers: boolean;
  /** Some were left as they are until the agent can be offered them. */
  #mayJoinLater: boolean;
  #isPoked: boolean;
  #wake: (() => void) | undefined;

  constructor(options: ActiveTurnOptions) {
    this.#options = options;
    this.#isPoked = options.lookAtOnce;
    this.#sawOthers = options.othersWait;
    this.#mayJoinLater = options.lookAtOnce;
    this.#target = targetOf(options.work.messages[0]!);
    this.work = {
      ...options.work,
      begun: options.begun,
      lock: options.lock,
      signal: this.#controller.signal,
      openSteering: (steer) => this.#openSteering(steer),
      joined: (seq) => this.#join(seq),
    };
    this.#watching = this.#watch();
  }

  /** Other messages of the session waited during the turn. */
  get sawOthers(): boolean {
    return this.#sawOthers;
  }

  /** Looks for messages now. */
  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  abort(reason: OpenBotError): void {
    this.#controller.abort(reason);
  }

  /** The turn is over: no message joins it any more. Resolves with all messages that belong to it. */
  async end(): Promise<readonly number[]> {
    this.#isOver = true;
    this.#wake?.();
    await this.#watching;
    return [...this.work.messages.map(({ seq }) => seq), ...this.#joined];
  }

  #openSteering(steer: Steer): void {
    if (this.#steering !== 'not yet') return;
    this.#steer = steer;
    this.#steering = 'open';
    // What arrives from now on pokes by itself.
    if (this.#mayJoinLater) this.poke();
  }

  async #join(seq: number): Promise<void> {
    if (this.#hints.has(seq) || this.work.messages.some((message) => message.seq === seq)) return;
    // Also when the move fails: the end of the turn moves it with the others.
    this.#joined.add(seq);
    await this.#options.inbox.move([seq], { state: 'running', turnId: this.work.turnId });
  }

  async #watch(): Promise<void> {
    await this.#options.begun.catch(() => {});
    while (!this.#isOver) {
      await this.#sleep();
      if (this.#isOver) return;
      if (!this.#options.lock.isHeld()) {
        this.abort(new OpenBotError('RUN_LOCK_LOST', 'Another process has taken over the session.'));
        return;
      }
      try {
        await this.#look();
      } catch (error) {
        this.#options.onTrouble(error);
      }
    }
  }

  async #sleep(): Promise<void> {
    if (!this.#isPoked) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const cancel = this.#options.clock.after(this.#options.pollMs, resolve);
      await promise;
      cancel();
      this.#wake = undefined;
    }
    this.#isPoked = false;
  }

  async #look(): Promise<void> {
    const { inbox, makeRules, drop, waiting } = this.#options;
    const others = (await waiting()).filter(
      ({ state, seq }) => state !== 'running' && !this.#offered.has(seq),
    );
    if (others.length > 0) this.#sawOthers = true;
    // Those that are queued have been looked at.
    if (!others.some(({ state }) => state === 'received')) return;
    const run = { target: this.#target, offered: this.#offered, steering: this.#steering };
    const plan = planArrivals(others, run, await makeRules(others));
    const queued = new Set(plan.queue);
    this.#mayJoinLater =
      run.steering === 'not yet' && others.some(({ state, seq }) => state === 'received' && !queued.has(seq));
    // It was opened while the rules were made.
    if (this.#mayJoinLater && this.#steering === 'open') this.poke();
    if (plan.abort !== undefined) this.abort(abortReason(plan.abort));
    for (const dropped of plan.drops) await drop(dropped, others);
    const queue = [...plan.queue, ...(await this.#offer(plan.steer))];
    if (queue.length > 0) await inbox.move(queue, { state: 'queued' });
  }

  /** Returns those that wait for the end of the run after all. */
  async #offer(steer: readonly { message: InboxMessage; joins: boolean }[]): Promise<readonly number[]> {
    const queue: number[] = [];
    for (const { message, joins } of steer) {
      if (this.#isOver) break;
      if (this.#steering === 'open') {
        this.#offered.add(message.seq);
        if (!joins) this.#hints.add(message.seq);
        const isTaken = await this.#steer?.(message, { joins });
        if (isTaken && joins) continue;
        if (!isTaken) this.#steering = 'closed';
        if (joins) this.#offered.delete(message.seq);
      }
      queue.push(message.seq);
    }
    return queue;
  }
}
