import { addressOf, type SessionRef } from '../../session-address.ts';
import { type GatewayRun, keyOfRun, type RunEnding, type RunRef } from './contract.ts';

/** OpenClaw remembers ended runs for as long. */
const KEPT_MS = 300_000;
const MOST_KEPT = 1000;

export class RunState implements GatewayRun {
  readonly runId: string;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly acceptedAt: number;
  turnId: string | undefined;
  startedAt: number | undefined;
  sessionId: string | undefined;
  said = '';
  messageStart = 0;
  /** What a person is asked now. */
  question: string | undefined;
  ending: RunEnding | undefined;

  constructor({ runId, agentId, sessionKey }: RunRef, acceptedAt: number) {
    this.runId = runId;
    this.agentId = agentId;
    this.sessionKey = sessionKey;
    this.acceptedAt = acceptedAt;
  }

  get text(): string {
    return [this.said, this.question ?? ''].filter((part) => part !== '').join('\n\n');
  }

  /** The texts of a run are one text, as its answer is. */
  beginMessage(): void {
    if (this.said !== '') this.said += '\n\n';
    this.messageStart = this.said.length;
  }

  /** What was said of the message that broke off. */
  takeBack(): void {
    this.said = this.said.slice(0, this.messageStart);
  }

  get isOver(): boolean {
    return this.ending !== undefined;
  }
}

/** Runs that are under way, and those that ended a while ago. */
export class KnownRuns {
  readonly #active = new Map<string, RunState>();
  readonly #bySession = new Map<string, Set<RunState>>();
  /** In the order of their ends. */
  readonly #ended = new Map<string, RunState>();

  find(run: RunRef): RunState | undefined {
    const key = keyOfRun(run);
    return this.#active.get(key) ?? this.#ended.get(key);
  }

  /** Of whatever session. */
  named(runId: string): readonly RunState[] {
    return [...this.#ended.values(), ...this.#active.values()].filter((run) => run.runId === runId);
  }

  active(): readonly RunState[] {
    return [...this.#active.values()];
  }

  ofSession(session: SessionRef): readonly RunState[] {
    return [...(this.#bySession.get(addressOf(session)) ?? [])];
  }

  /** The one that is known, or a new one. */
  open(wanted: RunRef, now: number): RunState {
    const known = this.find(wanted);
    if (known !== undefined) return known;
    const run = new RunState(wanted, now);
    this.#add(run);
    return run;
  }

  reopen(run: RunState): void {
    this.#ended.delete(keyOfRun(run));
    run.ending = undefined;
    this.#add(run);
  }

  #add(run: RunState): void {
    const address = addressOf(run);
    this.#active.set(keyOfRun(run), run);
    this.#bySession.set(address, (this.#bySession.get(address) ?? new Set()).add(run));
  }

  end(run: RunState, ending: RunEnding): void {
    run.ending = ending;
    const address = addressOf(run);
    const others = this.#bySession.get(address);
    others?.delete(run);
    if (others?.size === 0) this.#bySession.delete(address);
    const key = keyOfRun(run);
    this.#active.delete(key);
    this.#ended.set(key, run);
    for (const [oldest, { ending: former }] of this.#ended) {
      if (this.#ended.size <= MOST_KEPT && former!.endedAt > ending.endedAt - KEPT_MS) return;
      this.#ended.delete(oldest);
    }
  }
}
