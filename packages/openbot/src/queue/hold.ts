import { delayAfter } from '../clock.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { HeldRun } from '../run-lock/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { TurnOutcome } from './contract.ts';
import type { QueueDependencies } from './dependencies.ts';
import { targetOf } from './plan.ts';

type Held = Extract<TurnOutcome, { readonly end: 'held' }>;

interface HeldTurn {
  readonly turnId: string;
  readonly held: Held;
  dueAt: number;
}

/** Longer than that a provider is not obeyed: it may be back earlier than it says. */
const MOST_OBEYED_MS = 3_600_000;

/**
 * The turn of a session that waits for a model, and the messages behind it. All of it is in the inbox: what is kept here is
 * when to try again and who was told.
 */
export class Hold {
  readonly #session: SessionRef;
  readonly #dependencies: QueueDependencies;
  #turn: HeldTurn | undefined;
  #tries = 0;
  /** Since the last try began. */
  #isAsked = false;
  readonly #told = new Set<string>();

  constructor(session: SessionRef, dependencies: QueueDependencies) {
    this.#session = session;
    this.#dependencies = dependencies;
  }

  waitsFor(model: string): boolean {
    return this.#turn?.held.outage.models.includes(model) ?? false;
  }

  /** What the turn waits for, and until when it is left alone. */
  get wait(): { readonly models: readonly string[]; readonly dueAt: number } | undefined {
    return this.#turn && { models: this.#turn.held.outage.models, dueAt: this.#turn.dueAt };
  }

  /** The next look at the session tries the turn. False where none waits. */
  tryNow(): boolean {
    this.#isAsked = true;
    return this.#turn !== undefined;
  }

  /** How long the turn is left alone; 0 where a message behind it cannot wait. Tells conversations that have come since. */
  async waitMs(turnId: string, waiting: readonly InboxMessage[], lock: HeldRun): Promise<number> {
    const { clock } = this.#dependencies;
    const turn = this.#turn;
    if (turn?.turnId !== turnId) return 0;
    const ms = this.#isAsked ? 0 : Math.max(0, turn.dueAt - clock.now());
    if (ms > 0 && !this.isStopped(waiting) && this.#listImpatient(waiting).length === 0) {
      await this.#tell(turn, waiting, lock);
      return ms;
    }
    this.#isAsked = false;
    return 0;
  }

  /** A person ends the turn, which does not run. */
  isStopped(waiting: readonly InboxMessage[]): boolean {
    const { kindOf } = this.#dependencies;
    return waiting.some((message) => message.state !== 'running' && kindOf(message) === 'stop');
  }

  /** The turn could not reach a model. Returns how long it is left alone. */
  async note(turnId: string, held: Held, waiting: readonly InboxMessage[], lock: HeldRun): Promise<number> {
    const { clock, outagePauses } = this.#dependencies;
    const asked = Math.min(held.retryAfterMs ?? 0, MOST_OBEYED_MS);
    const ms = Math.max(delayAfter(++this.#tries, outagePauses), asked);
    this.#turn = { turnId, held, dueAt: clock.now() + ms };
    await this.#tell(this.#turn, waiting, lock);
    await this.#endImpatient(this.#turn, waiting, lock);
    return this.#isAsked ? 1 : ms;
  }

  /** A turn of the session has its end. `isOver`: by a model that answered. */
  clear(isOver: boolean): void {
    this.#turn = undefined;
    this.#isAsked = false;
    if (!isOver) return;
    this.#tries = 0;
    this.#told.clear();
  }

  async #tell(
    { turnId, held: { outage } }: HeldTurn,
    waiting: readonly InboxMessage[],
    lock: HeldRun,
  ): Promise<void> {
    const { isPatient, onOutage } = this.#dependencies;
    const isNew = this.#told.size === 0;
    const messages: InboxMessage[] = [];
    for (const [target, [first]] of Map.groupBy(waiting.filter(isPatient), targetOf))
      if (!this.#told.has(target)) messages.push(first!);
    if (messages.length === 0) return;
    await onOutage({ ...this.#session, turnId, messages, outage, isNew, lock });
    for (const message of messages) this.#told.add(targetOf(message));
  }

  /** Their senders wait for the end of the run: a client, a command. */
  async #endImpatient(
    { turnId: behind, held: { outage } }: HeldTurn,
    waiting: readonly InboxMessage[],
    lock: HeldRun,
  ): Promise<void> {
    const { inbox, onFailed } = this.#dependencies;
    const error = `${outage.summary}. An earlier message of the session waits for it.`;
    for (const message of this.#listImpatient(waiting)) {
      const turnId = `${behind}-${message.seq}`;
      const onMoved = await onFailed({
        ...this.#session,
        turnId,
        messages: [message],
        error,
        outage,
        lock,
      });
      // Told before, it could get an answer all the same from the next process.
      await inbox.move([message.seq], { state: 'failed', turnId, error });
      onMoved();
    }
  }

  #listImpatient(waiting: readonly InboxMessage[]): readonly InboxMessage[] {
    const { isPatient, kindOf } = this.#dependencies;
    return waiting.filter(
      (message) => message.state !== 'running' && kindOf(message) !== 'stop' && !isPatient(message),
    );
  }
}
