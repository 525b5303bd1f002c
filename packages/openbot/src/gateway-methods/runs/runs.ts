import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentHost,
  type HostEvent,
  type HostTurn,
  WEB_ACCOUNT,
  WEB_CHANNEL,
} from '../../agent-host/contract.ts';
import { findEnd } from '../../bot/find-end.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { InboxMessage, MessageIdentity } from '../../inbox/contract.ts';
import { Listeners } from '../../listeners.ts';
import { addressOf, refOfAddress, type SessionRef } from '../../session-address.ts';
import type { BotState } from '../../state/open-state.ts';
import type { TurnEvent, TurnReport } from '../../turn/turn-tools.ts';
import {
  type GatewayRun,
  type GatewayRuns,
  keyOfRun,
  type RunChange,
  type RunEnding,
  type RunRef,
  type WaitLimits,
} from './contract.ts';
import { KnownRuns, type RunState } from './known-runs.ts';

export interface RunsOptions {
  readonly host: Pick<AgentHost, 'onEvent' | 'onStatus'>;
  readonly state: BotState;
  /** Always the present one. */
  readonly config: BotConfig;
  now(): number;
}

/** How long after its process ended, or the next began, a run is looked for in the inbox: another process may have ended it. ms */
const LOOK_AFTER_MS = 5000;
/** Until what a process told has been heard. ms */
const HEARD_MS = 2000;

/** Follows the host. What was before this process, and what it did not hear of, is in inbox and outbox. */
export function openRuns(options: RunsOptions): GatewayRuns {
  return new Runs(options);
}

/** The runs of one turn. */
interface RunsOfTurn {
  /** The one that events are about. */
  readonly first: RunState;
  readonly all: readonly RunState[];
  /** What the next text is: more of the message, the next one, or another model's in place of the one that broke off. */
  next: 'more' | 'message' | 'instead';
}

class Runs implements GatewayRuns {
  readonly #options: RunsOptions;
  readonly #known = new KnownRuns();
  readonly #turns = new Map<string, RunsOfTurn>();
  /** Turns that wait for a model. Their runs have ended, and begin again when a model speaks. */
  readonly #waiting = new Map<string, HostTurn | undefined>();
  readonly #listeners = new Listeners<RunChange>('of runs');
  readonly #forget: readonly (() => void)[];

  constructor(options: RunsOptions) {
    this.#options = options;
    const { host } = options;
    let later: NodeJS.Timeout | undefined;
    this.#forget = [
      host.onEvent((event) => this.#hear(event)),
      host.onStatus(({ phase }) => {
        // All that the process said has been heard. The next one tells of what it goes on with.
        if (phase.at === 'down' || phase.at === 'resting') void this.#settleAll();
        clearTimeout(later);
        if (phase.at === 'up')
          later = setTimeout(() => void this.#settleAll(HEARD_MS), LOOK_AFTER_MS).unref();
      }),
      () => clearTimeout(later),
    ];
    void this.#adoptWaiting().catch(() => {});
  }

  ofSession(session: SessionRef): readonly GatewayRun[] {
    return this.#known.ofSession(session);
  }

  accepted(...[wanted, { isNew, state }]: Parameters<GatewayRuns['accepted']>): GatewayRun {
    const run = this.#open(wanted);
    if (isNew) this.#tell({ type: 'accepted', run });
    // It was the answer to a question.
    if (state === 'dropped' && !run.isOver) this.#end(run, NOTHING, false);
    return run;
  }

  async findEnding(run: RunRef): Promise<RunEnding | undefined> {
    const known = this.#known.find(run);
    if (known !== undefined) return known.ending;
    return this.#endingOf(run.runId, await this.#findMessage(run));
  }

  waitForEnd(run: RunRef, limits: WaitLimits): Promise<RunEnding | undefined> {
    const key = keyOfRun(run);
    return this.#wait(
      (other) => keyOfRun(other) === key,
      () => this.findEnding(run),
      limits,
    );
  }

  waitForNamed(
    ...[runId, isMeant, limits]: Parameters<GatewayRuns['waitForNamed']>
  ): Promise<RunEnding | undefined> {
    const find = async () => {
      const known = this.#known.named(runId).findLast(isMeant);
      if (known !== undefined) return known.ending;
      const { inbox } = this.#options.state;
      const named = await inbox.findInAccount({ ...ACCOUNT, messageId: runId });
      const message = named.findLast(isMeant) ?? (await inbox.ofTurn(runId)).findLast(isMeant);
      return this.#endingOf(runId, message);
    };
    return this.#wait((run) => run.runId === runId && isMeant(run), find, limits);
  }

  async #endingOf(runId: string, message: InboxMessage | undefined): Promise<RunEnding | undefined> {
    const ended = message && (await findEnd(this.#options, message));
    if (ended === undefined) return undefined;
    const { agentId, sessionKey } = message!;
    const { report, endedAt = message!.receivedAt } = ended;
    return { runId, agentId, sessionKey, report, endedAt };
  }

  #wait(
    isIt: (run: GatewayRun) => boolean,
    find: () => Promise<RunEnding | undefined>,
    { timeoutMs, signal }: WaitLimits,
  ): Promise<RunEnding | undefined> {
    const { promise, resolve } = Promise.withResolvers<RunEnding | undefined>();
    const giveUp = () => resolve(undefined);
    const forget = this.onChange((change) => {
      if (change.type === 'ended' && isIt(change.run)) resolve(change.ending);
    });
    const timer = setTimeout(giveUp, Math.min(timeoutMs, 2 ** 31 - 1));
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    find().then((ending) => ending && resolve(ending), giveUp);
    return promise.finally(() => {
      forget();
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    });
  }

  onChange(listener: (change: RunChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    for (const forget of this.#forget) forget();
    this.#listeners.end();
  }

  #hear(event: HostEvent): void {
    if (event.type === 'began') this.#begin(event.turn);
    else if (event.type === 'event') this.#follow(event.turnId, event.event);
    else if (event.type === 'ended') this.#endTurn(event);
    else if (event.type === 'dropped')
      for (const message of event.messages) this.#drop(message, event.reason);
    else if (event.type === 'said') {
      const turn = this.#turns.get(event.payload.question?.turnId ?? '');
      if (turn !== undefined) turn.first.question = event.payload.text;
    }
  }

  #begin(turn: HostTurn, isWaitOver = false): void {
    const { turnId, messages } = turn;
    if (this.#waiting.has(turnId)) {
      this.#waiting.set(turnId, turn);
      return;
    }
    const ids = messages.flatMap((message) => (isOurs(message) ? [message.messageId] : []));
    const all = (ids.length === 0 ? [turnId] : ids).map((runId) => this.#open({ ...turn, runId }));
    const first = all.at(-1)!;
    // Its end was told; the process that told it died before the inbox had it.
    if (first.isOver && first.turnId === turnId && !isWaitOver) return;
    for (const run of all) {
      // A running agent was given it as a hint, and now it has a turn of its own.
      if (run.isOver) this.#known.reopen(run);
      run.turnId = turnId;
    }
    first.said = '';
    first.messageStart = 0;
    this.#turns.set(turnId, { first, all, next: 'more' });
    for (const run of all) this.#tell({ type: 'began', run });
  }

  #endWait(turnId: string): void {
    const turn = this.#waiting.get(turnId);
    this.#waiting.delete(turnId);
    if (turn !== undefined) this.#begin(turn, true);
  }

  #follow(turnId: string, event: TurnEvent): void {
    if (event.type === 'text' || event.type === 'tool-call') this.#endWait(turnId);
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return;
    const { first } = turn;
    let isReplaced = false;
    if (event.type === 'started') {
      first.startedAt = this.#options.now();
      first.sessionId = event.sessionId;
    } else if (event.type === 'text') {
      isReplaced = turn.next === 'instead';
      if (isReplaced) first.takeBack();
      if (turn.next === 'message') first.beginMessage();
      turn.next = 'more';
      first.said += event.delta;
    } else if (event.type === 'message-end') turn.next = 'message';
    else if (event.type === 'gave-way' && turn.next === 'more') turn.next = 'instead';
    // An answer, or the end of the time for it.
    if (event.type === 'tool-result') first.question = undefined;
    if (event.type === 'steered') this.#joined(turnId, event.messageId, turn);
    this.#tell({ type: 'event', run: first, event, isReplaced });
  }

  /** The message of another run was read by this turn, which has the answer to both. */
  #joined(turnId: string, identity: string, { first }: RunsOfTurn): void {
    const message = JSON.parse(identity) as MessageIdentity;
    if (!isOurs(message)) return;
    const run = this.#open({ ...refOf(first), runId: message.messageId });
    run.turnId = turnId;
    this.#end(run, NOTHING, false);
  }

  #endTurn({ turnId, end, report }: Extract<HostEvent, { type: 'ended' }>): void {
    if (end !== 'held' && end !== 'later') this.#endWait(turnId);
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return;
    this.#turns.delete(turnId);
    const { first, all } = turn;
    first.question = undefined;
    if (end === 'held') this.#waiting.set(turnId, undefined);
    if (end !== 'later') {
      for (const run of all) this.#end(run, report, run === first);
      return;
    }
    this.#tell({ type: 'cut-off', run: first });
    setTimeout(() => {
      for (const run of all) if (!this.#turns.has(turnId)) void this.#settle(run, HEARD_MS);
    }, LOOK_AFTER_MS).unref();
  }

  #drop(message: MessageIdentity, reason: string): void {
    const session = isOurs(message) ? refOfAddress(message.conversationId) : undefined;
    const run = session && this.#known.find({ ...session, runId: message.messageId });
    if (run === undefined || run.isOver) return;
    const isWithdrawn = reason.includes('withdrawn');
    const error = { message: `The message was dropped: ${reason}` };
    const report = isWithdrawn
      ? { ...NOTHING, outcome: 'aborted' as const, abortedBy: 'person' as const, error }
      : { ...NOTHING, outcome: 'failed' as const, error };
    this.#end(run, report, true);
  }

  #end(run: RunState, report: TurnReport, isAnswered: boolean, endedAt = this.#options.now()): void {
    if (run.isOver) return;
    const { runId, agentId, sessionKey } = run;
    const ending = { runId, agentId, sessionKey, report, endedAt };
    this.#known.end(run, ending);
    this.#tell({ type: 'ended', run, ending, isAnswered });
  }

  #open(run: RunRef): RunState {
    return this.#known.open(run, this.#options.now());
  }

  /** Messages that an earlier gateway took and that have no end. */
  async #adoptWaiting(): Promise<void> {
    const { inbox } = this.#options.state;
    for (const session of await inbox.waitingSessions()) {
      for (const message of await inbox.waiting(session))
        if (isOurs(message.identity)) this.#open({ ...refOf(message), runId: message.identity.messageId });
    }
  }

  /** Ends runs whose end was not heard: the process that ran them may have died before it could tell. */
  async #settleAll(heardMs = 0): Promise<void> {
    await Promise.all(this.#known.active().map((run) => this.#settle(run, heardMs)));
  }

  /** @param heardMs what a process that runs tells itself is heard by then */
  async #settle(run: RunState, heardMs: number): Promise<void> {
    try {
      const message = await this.#findMessage(run);
      const ended = message && (await findEnd(this.#options, message));
      if (ended === undefined) return;
      if (heardMs > 0) await sleep(heardMs, undefined, { ref: false });
      // A turn that is told of later is not begun again.
      if (ended.turnId !== '') run.turnId ??= ended.turnId;
      this.#end(run, ended.report, true, ended.endedAt);
    } catch {
      // It is looked for again when the next process starts.
    }
  }

  async #findMessage(run: RunRef): Promise<InboxMessage | undefined> {
    const { inbox } = this.#options.state;
    const conversationId = addressOf(run);
    return (
      (await inbox.find({ ...ACCOUNT, conversationId, messageId: run.runId })) ??
      (await inbox.ofTurn(run.runId)).findLast((message) => addressOf(message) === conversationId)
    );
  }

  #tell(change: RunChange): void {
    this.#listeners.call(change);
  }
}

const NOTHING: TurnReport = {
  sessionId: '',
  provider: '',
  model: '',
  payloads: [],
  compactions: 0,
  outcome: 'silent',
};

const ACCOUNT = { channel: WEB_CHANNEL, accountId: WEB_ACCOUNT };

function refOf({ agentId, sessionKey }: SessionRef): SessionRef {
  return { agentId, sessionKey };
}

function isOurs({ channel, accountId }: MessageIdentity): boolean {
  return channel === WEB_CHANNEL && accountId === WEB_ACCOUNT;
}
