import { OpenBotError } from '@openbot/sessions';
import { delayAfter } from '../clock.ts';
import type { InboxMessage, InboxState } from '../inbox/contract.ts';
import type { HeldRun } from '../run-lock/contract.ts';
import { abortReason } from '../runners/abort.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { ActiveTurn } from './active-turn.ts';
import type { Lane, TurnOutcome } from './contract.ts';
import type { QueueDependencies } from './dependencies.ts';
import { Hold } from './hold.ts';
import { WITHDRAWN } from './overflow.ts';
import type { NextStep } from './plan.ts';
import { isSingle, SessionMessages } from './session-messages.ts';
import { isStorageTrouble } from './storage-trouble.ts';

/** What the queue knows of a turn of this process that did not end as it should. */
interface Unfinished {
  readonly error?: string;
  /** The disk or the database failed, not the turn: beginning again is not counted. */
  readonly isFree: boolean;
  /** It ended and only the inbox does not have it. */
  readonly ended?: { readonly outcome: TurnOutcome; readonly seqs: readonly number[] };
}

/** What happens to a session next. */
export type PassEnd =
  | { readonly action: 'forget' }
  | { readonly action: 'again' }
  | { readonly action: 'sleep'; readonly ms: number };

const RETRY = { firstMs: 500, mostMs: 30_000 };
const LOCK_RETRY = { firstMs: 50, mostMs: 1000 };

export function addressOfLane(session: SessionRef, lane: Lane): string {
  return lane === 'turns' ? addressOf(session) : `${addressOf(session)}#asides`;
}

/** The messages of one lane of a session, for as long as some of them wait. */
export class SessionQueue {
  readonly agentId: string;
  readonly sessionKey: string;
  /** Of its lock: the lanes of a session do not wait for each other. */
  readonly address: string;
  readonly lane: Lane;
  readonly #dependencies: QueueDependencies;
  readonly #messages: SessionMessages;
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #hold: Hold;
  #active: ActiveTurn | undefined;
  #lockMisses = 0;
  /** Failures in a row. */
  #troubles = 0;
  /** A try of a turn that waits for a model was ended: what waits behind it goes too. */
  #isWithdrawn = false;
  #isWoken = false;
  #isStopping = false;

  constructor({ agentId, sessionKey }: SessionRef, lane: Lane, dependencies: QueueDependencies) {
    this.agentId = agentId;
    this.sessionKey = sessionKey;
    this.lane = lane;
    this.address = addressOfLane({ agentId, sessionKey }, lane);
    this.#dependencies = dependencies;
    this.#messages = new SessionMessages({ agentId, sessionKey }, lane, dependencies);
    this.#hold = new Hold({ agentId, sessionKey }, dependencies);
  }

  /** A message was accepted. */
  wake(): void {
    this.#isWoken = true;
    this.#active?.poke();
  }

  /** A message came after the last look. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** A turn of the session waits for this model. */
  waitsFor(model: string): boolean {
    return this.#hold.waitsFor(model);
  }

  /** The models that a turn of the session waits for. */
  get wait(): Hold['wait'] {
    return this.#hold.wait;
  }

  /** A turn that waits for a model is tried at the next look. False without one. */
  tryNow(): boolean {
    const waits = this.#hold.tryNow();
    // Where the session is being left, it is looked at again.
    if (waits) this.#isWoken = true;
    return waits;
  }

  /** True when there is a run. */
  abort(reason: OpenBotError): boolean {
    if (this.#active === undefined) return false;
    this.#isWithdrawn = this.#hold.wait !== undefined;
    this.#active.abort(reason);
    return true;
  }

  /**
   * Takes back a turn that was begun and does not run, with what waits behind it. False without one. The caller has the
   * lock of the session.
   */
  async withdraw(): Promise<boolean> {
    const waiting = await this.#messages.waiting();
    if (this.#active !== undefined) return false;
    if (!this.#isWithdrawn && waiting.every(({ state }) => state !== 'running')) return false;
    this.#isWithdrawn = false;
    if (waiting.length === 0) return true;
    await this.#messages.drop({ seqs: waiting.map(({ seq }) => seq), reason: WITHDRAWN }, waiting);
    this.#unfinished.clear();
    this.#hold.clear(false);
    return true;
  }

  /** Starts no turn any more. */
  stop(abortReason?: OpenBotError): void {
    this.#isStopping = true;
    if (abortReason !== undefined) this.#active?.abort(abortReason);
  }

  /** Handles turns of this session while it has some that are due and `mayGoOn`, at least one. Does not reject. */
  async handle(mayGoOn: () => boolean): Promise<PassEnd> {
    try {
      return await this.#handleLocked(mayGoOn);
    } catch (error) {
      return await this.#retryLater(error);
    }
  }

  async #handleLocked(mayGoOn: () => boolean): Promise<PassEnd> {
    const { runLock, onHeld } = this.#dependencies;
    this.#isWoken = false;
    const lock = await runLock.acquire(this.address, { waitMs: 0 });
    if (lock === undefined) {
      // The process that has it may have handled our messages too.
      if ((await this.#messages.waiting()).length === 0) return this.#leave();
      if (this.#lockMisses === 0) onHeld(this.sessionKey);
      return { action: 'sleep', ms: delayAfter(++this.#lockMisses, LOCK_RETRY) };
    }
    this.#lockMisses = 0;
    try {
      while (!this.#isStopping) {
        const end = await this.#handleOne(lock);
        if (end.action !== 'again' || !mayGoOn()) return end;
      }
      return { action: 'forget' };
    } finally {
      await lock.release().catch((error) => this.#report(error));
    }
  }

  /** No message waits. */
  #leave(): PassEnd {
    this.#dependencies.onWorked(this);
    return { action: 'forget' };
  }

  async #handleOne(lock: HeldRun): Promise<PassEnd> {
    const { clock, newTurnId, isWanted } = this.#dependencies;
    const ended = [...this.#unfinished].find(([, turn]) => turn.ended !== undefined);
    if (ended !== undefined) return this.#finish(ended[0], ended[1].ended!);

    if (this.#isWithdrawn) await this.withdraw();
    this.#isWoken = false;
    const waiting = await this.#messages.waiting();
    if (!isWanted(waiting)) return { action: 'forget' };
    const next = await this.#messages.plan(waiting);
    switch (next.step) {
      case 'nothing':
        return this.#leave();
      case 'wait':
        return { action: 'sleep', ms: Math.max(1, next.until - clock.now()) };
      case 'recover': {
        const waitMs = await this.#hold.waitMs(next.turnId, waiting, lock);
        return waitMs > 0 ? { action: 'sleep', ms: waitMs } : this.#recover(next, waiting, lock);
      }
      case 'start': {
        const note = isSingle(waiting) ? undefined : await this.#messages.findNote(next.messages);
        return this.#run({
          turnId: newTurnId(),
          messages: next.messages,
          recovering: false,
          mayRun: true,
          note,
          begin: (turnId) => this.#messages.begin(next.messages, turnId, next.queue),
          othersWait: waiting.length > next.messages.length,
          lookAtOnce: leavesOpen(waiting, next),
          lock,
        });
      }
    }
  }

  async #recover(
    { turnId, messages }: Extract<NextStep, { step: 'recover' }>,
    waiting: readonly InboxMessage[],
    lock: HeldRun,
  ): Promise<PassEnd> {
    const { inbox, maxTries, onFailed, refusalOf } = this.#dependencies;
    const former = this.#unfinished.get(turnId);
    const isFree = former?.isFree === true;
    const tries = countTries(messages);
    if (!isFree && tries > maxTries) {
      const error = former?.error ?? `The process ended during each of ${maxTries} runs.`;
      const { agentId, sessionKey } = this;
      const onMoved = await onFailed({ agentId, sessionKey, turnId, messages, error, lock });
      const seqs = messages.map(({ seq }) => seq);
      await inbox.move(seqs, { state: 'failed', turnId, error });
      onMoved();
      this.#unfinished.delete(turnId);
      this.#dependencies.onWorked(this);
      return { action: 'again' };
    }
    return this.#run({
      turnId,
      messages,
      recovering: true,
      refusal: messages.map(refusalOf).find((reason) => reason !== undefined),
      mayRun: isFree ? tries <= maxTries : tries < maxTries,
      note: await this.#messages.findNote(messages),
      begin: async () => (isFree ? undefined : this.#messages.begin(messages, turnId, [])),
      othersWait: waiting.length > messages.length,
      lookAtOnce: waiting.length > messages.length,
      // A run that fails at once would not look for it.
      isStopped: this.#hold.isStopped(waiting),
      lock,
    });
  }

  async #run(turn: {
    turnId: string;
    messages: readonly InboxMessage[];
    recovering: boolean;
    mayRun: boolean;
    refusal?: string;
    note: string | undefined;
    begin(turnId: string): Promise<void>;
    othersWait: boolean;
    lookAtOnce: boolean;
    isStopped?: boolean;
    lock: HeldRun;
  }): Promise<PassEnd> {
    const { turnId, messages, recovering, mayRun, refusal, note, lock } = turn;
    const { inbox, clock, pollMs, runTurn } = this.#dependencies;
    if (this.#isStopping) return { action: 'forget' };
    const begun = turn.begin(turnId);
    // The turn awaits it; without this a turn that fails earlier would end the process.
    begun.catch(() => {});
    const active = new ActiveTurn({
      inbox,
      clock,
      pollMs,
      lock,
      work: {
        agentId: this.agentId,
        sessionKey: this.sessionKey,
        turnId,
        messages,
        recovering,
        mayRun,
        refusal,
        note,
      },
      begun,
      othersWait: turn.othersWait,
      lookAtOnce: turn.lookAtOnce || this.#isWoken,
      // An aside is over soon, and what else waits has nothing to do with it.
      waiting: this.lane === 'asides' ? async () => [] : () => this.#messages.waiting(),
      makeRules: (all) => this.#messages.makeRules(all),
      drop: (drop, among) => this.#messages.drop(drop, among),
      onTrouble: (error) => this.#report(error),
    });
    this.#active = active;
    if (turn.isStopped) active.abort(abortReason('person'));
    let outcome: TurnOutcome;
    let seqs: readonly number[];
    try {
      outcome = await runTurn(active.work);
    } catch (error) {
      // What is left of the turn is running, and is recovered.
      if (error instanceof OpenBotError && error.code === 'MESSAGE_WITHDRAWN') return { action: 'again' };
      return await this.#noteFailure(turnId, messages, error);
    } finally {
      this.#active = undefined;
      seqs = await active.end();
    }
    // Without the lock, the process that has it now finds the turn running and finishes it.
    if (outcome.end === 'later' || !lock.isHeld()) return { action: 'sleep', ms: RETRY.firstMs };
    if (outcome.end === 'held') {
      this.#unfinished.set(turnId, { isFree: true, error: outcome.outage.summary });
      const ms = await this.#hold.note(turnId, outcome, await this.#messages.waiting(), lock);
      this.#dependencies.onWorked(this);
      return this.#isWithdrawn ? { action: 'again' } : { action: 'sleep', ms };
    }
    const ended = { outcome, seqs };
    this.#unfinished.set(turnId, { isFree: true, ended });
    const end = await this.#finish(turnId, ended);
    // What this process accepts wakes the session, and another process looks after what it accepted.
    return active.sawOthers || this.#isWoken ? end : { action: 'forget' };
  }

  async #noteFailure(turnId: string, messages: readonly InboxMessage[], error: unknown): Promise<PassEnd> {
    const message = error instanceof Error ? error.message : String(error);
    this.#unfinished.set(turnId, { error: message, isFree: isStorageTrouble(error) });
    return this.#retryLater(error, messages);
  }

  async #retryLater(error: unknown, messages: readonly InboxMessage[] = []): Promise<PassEnd> {
    if (!(await this.#dependencies.mayRetry(error, this.sessionKey, messages))) return { action: 'again' };
    this.#report(error);
    return { action: 'sleep', ms: delayAfter(++this.#troubles, RETRY) };
  }

  async #finish(turnId: string, { outcome, seqs }: NonNullable<Unfinished['ended']>): Promise<PassEnd> {
    if (outcome.end === 'dropped') {
      await this.#messages.drop({ seqs, reason: outcome.reason }, await this.#messages.waiting());
    } else {
      const state: InboxState =
        outcome.end === 'failed'
          ? { state: 'failed', turnId, error: outcome.error }
          : {
              state: 'answered',
              turnId,
              ...(outcome.end === 'answered' && outcome.abortedBy && { abortedBy: outcome.abortedBy }),
            };
      await this.#dependencies.inbox.move(seqs, state);
    }
    this.#unfinished.delete(turnId);
    this.#troubles = 0;
    this.#hold.clear(outcome.end === 'answered' && outcome.by !== undefined);
    this.#dependencies.onWorked(this);
    return { action: 'again' };
  }

  #report(error: unknown): void {
    this.#dependencies.onTrouble(error, this);
  }
}

/** Whether messages were neither chosen for the turn nor told to wait for its end. */
function leavesOpen(waiting: readonly InboxMessage[], next: Extract<NextStep, { step: 'start' }>): boolean {
  const placed = new Set([...next.messages.map(({ seq }) => seq), ...next.queue]);
  return waiting.some(({ state, seq }) => state === 'received' && !placed.has(seq));
}

function countTries(messages: readonly InboxMessage[]): number {
  return Math.max(...messages.map(({ tries }) => tries));
}
