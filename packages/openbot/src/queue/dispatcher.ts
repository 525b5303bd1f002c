import { randomUUID } from 'node:crypto';
import { systemClock } from '../clock.ts';
import { abortReason } from '../runners/abort.ts';
import type { SessionRef } from '../session-address.ts';
import { type Lane, laneOf, type ModelWait } from './contract.ts';
import type { QueueDependencies } from './dependencies.ts';
import { kindOfMessage } from './message-kind.ts';
import { addressOfLane, type PassEnd, SessionQueue } from './session-queue.ts';

type Required = 'inbox' | 'runLock' | 'runTurn' | 'settingsOf';

export interface DispatcherOptions
  extends Pick<QueueDependencies, Required>,
    Partial<Omit<QueueDependencies, Required>> {
  /** Runs of all agents together. 4 unless given. */
  readonly maxConcurrentRuns?: number;
  /** Runs of one agent; no limit of its own where undefined. */
  maxConcurrentOf?(agentId: string): number | undefined;
  /** How often `recover` is repeated, for messages whose process died. Never when absent. */
  readonly sweepMs?: number;
}

const MAX_CONCURRENT_RUNS = 4;
const POLL_MS = 100;
const MAX_TRIES = 3;
const OUTAGE_PAUSES = { firstMs: 5000, mostMs: 300_000 };

/** How many sessions that wait for a model try it when it has answered. Each that gets an answer lets others follow. */
const FOLLOWERS = 2;

/** How long a look at a session may hold up who takes back its turn. */
const WITHDRAW_MS = 500;

interface Place {
  readonly queue: SessionQueue;
  state:
    | { readonly at: 'ready' }
    | { readonly at: 'busy'; readonly done: Promise<void> }
    | { readonly at: 'asleep'; cancel(): void };
}

/**
 * Gives every waiting message its turn. Sessions that are ready are served in a circle, one turn each, so that a busy
 * one does not hold up others; a session that waits (for another process, a debounce or a disk) takes no place.
 */
export class Dispatcher {
  readonly #dependencies: QueueDependencies;
  readonly #options: DispatcherOptions;
  /** By address. */
  readonly #places = new Map<string, Place>();
  /** In the order in which they are served. */
  readonly #ready = new Set<Place>();
  readonly #busyByAgent = new Map<string, number>();
  readonly #idleListeners: (() => void)[] = [];
  #busy = 0;
  #isStopping = false;
  #cancelSweep: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#dependencies = {
      inbox: options.inbox,
      runLock: options.runLock,
      runTurn: async (work) => {
        const outcome = await options.runTurn(work);
        if (outcome.end === 'answered' && outcome.by !== undefined) this.#tryWaiting(outcome.by);
        if (laneOf(this.#dependencies.kindOf(work.messages[0]!)) === 'asides') this.#tryAfterAside(work);
        return outcome;
      },
      settingsOf: (session, channel) => options.settingsOf(session, channel),
      clock: options.clock ?? systemClock,
      kindOf: (message) => message.kind ?? (options.kindOf ?? kindOfMessage)(message),
      refusalOf: options.refusalOf ?? (() => undefined),
      hintOf: options.hintOf ?? (() => ({})),
      newTurnId: options.newTurnId ?? randomUUID,
      isWanted: (waiting) => options.isWanted?.(waiting) ?? true,
      onFailed: options.onFailed ?? (async () => () => {}),
      mayRetry: options.mayRetry ?? (async () => true),
      isPatient: options.isPatient ?? (() => true),
      onOutage: options.onOutage ?? (async () => {}),
      outagePauses: options.outagePauses ?? OUTAGE_PAUSES,
      onHeld: options.onHeld ?? (() => {}),
      onDropped: options.onDropped ?? (() => {}),
      onTrouble: options.onTrouble ?? (() => {}),
      onWorked: options.onWorked ?? (() => {}),
      pollMs: options.pollMs ?? POLL_MS,
      maxTries: options.maxTries ?? MAX_TRIES,
    };
  }

  /** A message of this session was accepted. */
  wake(sessionKey: string, agentId: string, lane: Lane = 'turns'): void {
    if (this.#isStopping) return;
    const session = { agentId, sessionKey };
    const place = this.#places.get(addressOfLane(session, lane));
    if (place === undefined) {
      this.#add(session, lane);
    } else {
      place.queue.wake();
      if (place.state.at === 'asleep') this.#makeReady(place);
    }
    this.#serve();
  }

  /** Takes up what other processes left, or what this one had before it was started again. */
  async recover(): Promise<void> {
    if (this.#isStopping) return;
    try {
      for (const session of await this.#dependencies.inbox.waitingSessions()) {
        for (const lane of ['turns', 'asides'] as const)
          if (!this.#places.has(addressOfLane(session, lane))) this.#add(session, lane);
      }
      this.#serve();
    } finally {
      this.#planSweep();
    }
  }

  /** Ends the run of the session at an address. False when it has none in this process. */
  abort(address: string, reason = abortReason('person')): boolean {
    return this.#places.get(address)?.queue.abort(reason) ?? false;
  }

  /**
   * Takes back a turn of the session that was begun and does not run: it waits for a model, or for the next try. What
   * waits behind it goes too. False without one. With `holdsRun` the caller has the lock of the session.
   */
  async withdraw(session: SessionRef, { holdsRun = false } = {}): Promise<boolean> {
    const address = addressOfLane(session, 'turns');
    const known = this.#places.get(address)?.queue;
    if (known === undefined && !holdsRun) return false;
    const lock = holdsRun
      ? undefined
      : await this.#dependencies.runLock.acquire(address, { waitMs: WITHDRAW_MS });
    if (lock === undefined && !holdsRun) return false;
    try {
      const queue = known ?? new SessionQueue(session, 'turns', this.#dependencies);
      if (!(await queue.withdraw())) return false;
    } finally {
      await lock?.release();
    }
    if (known !== undefined) this.wake(session.sessionKey, session.agentId);
    return true;
  }

  /** A turn of the agent waits for another turn, which may use its place. Returns the function that takes it back. */
  lendPlace(agentId: string): () => void {
    this.#count(agentId, -1);
    this.#serve();
    return () => this.#count(agentId, 1);
  }

  /** The models that turns of this process wait for. */
  get waits(): readonly ModelWait[] {
    const waits = new Map<string, ModelWait>();
    for (const { queue } of this.#places.values()) {
      const { models = [], dueAt = 0 } = queue.wait ?? {};
      for (const model of models) {
        const { sessions = 0, nextTryAt = dueAt } = waits.get(model) ?? {};
        waits.set(model, { model, sessions: sessions + 1, nextTryAt: Math.min(nextTryAt, dueAt) });
      }
    }
    return [...waits.values()];
  }

  get isIdle(): boolean {
    return this.#places.size === 0;
  }

  /** Resolves when no session has messages that wait or run, here or, for those woken here, in another process. */
  async idle(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => this.#idleListeners.push(resolve));
  }

  /** Starts no turn any more, and resolves when those that run have ended. `abort` makes that soon. */
  async stop({ abort = false }: { readonly abort?: boolean } = {}): Promise<void> {
    this.#isStopping = true;
    this.#cancelSweep?.();
    const reason = abort ? abortReason('shutdown') : undefined;
    const busy: Promise<void>[] = [];
    for (const place of [...this.#places.values()]) {
      place.queue.stop(reason);
      if (place.state.at === 'busy') busy.push(place.state.done);
      else this.#remove(place);
    }
    await Promise.all(busy);
  }

  #add(session: SessionRef, lane: Lane): void {
    const queue = new SessionQueue(session, lane, this.#dependencies);
    const place: Place = { queue, state: { at: 'ready' } };
    this.#places.set(queue.address, place);
    this.#ready.add(place);
  }

  #makeReady(place: Place): void {
    if (place.state.at === 'asleep') place.state.cancel();
    place.state = { at: 'ready' };
    this.#ready.add(place);
  }

  #remove(place: Place): void {
    if (place.state.at === 'asleep') place.state.cancel();
    this.#ready.delete(place);
    this.#places.delete(place.queue.address);
    if (this.#places.size === 0) for (const resolve of this.#idleListeners.splice(0)) resolve();
  }

  #serve(): void {
    const most = this.#options.maxConcurrentRuns ?? MAX_CONCURRENT_RUNS;
    for (const place of this.#ready) {
      // An aside asks no model, and its person should not wait for those who do.
      const isRun = place.queue.lane === 'turns';
      if (isRun && (this.#busy >= most || this.#isFull(place.queue.agentId))) continue;
      this.#ready.delete(place);
      place.state = { at: 'busy', done: this.#handle(place) };
    }
  }

  #isFull(agentId: string): boolean {
    const most = this.#mostOf(agentId);
    return most !== undefined && (this.#busyByAgent.get(agentId) ?? 0) >= most;
  }

  #mostOf(agentId: string): number | undefined {
    try {
      return this.#options.maxConcurrentOf?.(agentId);
    } catch (error) {
      // One agent with a fault must not hold up the others.
      this.#dependencies.onTrouble(error);
      return undefined;
    }
  }

  async #handle(place: Place): Promise<void> {
    const { agentId, lane } = place.queue;
    if (lane === 'turns') this.#count(agentId, 1);
    const end = await place.queue.handle(() => this.#ready.size === 0);
    if (lane === 'turns') this.#count(agentId, -1);
    if (this.#isStopping) this.#remove(place);
    else this.#settle(place, end);
    this.#serve();
  }

  /** A model answers again. Not all sessions at once: it may have been too much for it. */
  #tryWaiting(model: string): void {
    const places = [...this.#places.values()];
    // A try that was begun before may still fail, and does not wait then.
    for (const { queue, state } of places) if (state.at === 'busy') queue.tryNow();
    const waiting = places.filter(({ queue, state }) => state.at === 'asleep' && queue.waitsFor(model));
    for (const place of waiting.slice(0, FOLLOWERS)) {
      place.queue.tryNow();
      this.#makeReady(place);
    }
    this.#serve();
  }

  /** What a person asked of the bot may be another model. */
  #tryAfterAside({ agentId, sessionKey }: SessionRef): void {
    const turns = this.#places.get(addressOfLane({ agentId, sessionKey }, 'turns'));
    if (turns?.queue.tryNow() && turns.state.at === 'asleep') this.#makeReady(turns);
  }

  #settle(place: Place, end: PassEnd): void {
    if (end.action === 'again' || place.queue.isWoken) this.#makeReady(place);
    else if (end.action === 'forget') this.#remove(place);
    else {
      const cancel = this.#dependencies.clock.after(end.ms, () => {
        this.#makeReady(place);
        this.#serve();
      });
      place.state = { at: 'asleep', cancel };
    }
  }

  #count(agentId: string, change: 1 | -1): void {
    this.#busy += change;
    this.#busyByAgent.set(agentId, (this.#busyByAgent.get(agentId) ?? 0) + change);
  }

  #planSweep(): void {
    const { sweepMs } = this.#options;
    this.#cancelSweep?.();
    if (sweepMs === undefined || this.#isStopping) return;
    this.#cancelSweep = this.#dependencies.clock.after(sweepMs, () => {
      this.recover().then(
        () => this.#dependencies.onWorked(),
        (error) => this.#dependencies.onTrouble(error),
      );
    });
  }
}
