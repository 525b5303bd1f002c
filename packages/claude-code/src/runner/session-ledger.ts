import { type Environment, ownIdentity, type ProcessIdentity } from '@openbot/sessions';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { readRegistry, updateRegistry } from '../registry/registry-file.ts';
import type { RunResult } from './run-event.ts';
import { readSavedCost } from './saved-cost.ts';

export interface LedgerOptions {
  readonly stateDir: string;
  readonly agentId: string;
  readonly repoPath: string;
  readonly sessionId: string;
  readonly action: 'resume' | 'fresh';
  readonly label: string | undefined;
  readonly task: string;
  readonly maxBudgetUsd: number | undefined;
  readonly env: Environment;
  /** Told when something could not be written down. */
  readonly onProblem: (message: string) => void;
}

export interface TurnCost {
  readonly costUsd: number;
  readonly totalCostUsd: number;
}

const KEPT_TASKS = 50;

/** What a session costs and did, counted over all its runs and written into the registry. */
export class SessionLedger {
  readonly #options: LedgerOptions;
  /** What Claude Code does not know of: it counts on from what it last saved, which a crash cuts short. */
  readonly #unsavedUsd: number;
  readonly spentBeforeUsd: number;
  readonly maxBudgetUsd: number | undefined;
  readonly #turnsBefore: number;
  #totalCostUsd: number;
  #turns = 0;
  #hasBegun = false;

  private constructor(options: LedgerOptions, known: RegisteredSession | undefined, savedUsd: number) {
    this.#options = options;
    this.spentBeforeUsd = Math.max(known?.totalCostUsd ?? 0, savedUsd);
    this.#unsavedUsd = this.spentBeforeUsd - savedUsd;
    this.#totalCostUsd = this.spentBeforeUsd;
    this.#turnsBefore = known?.turns ?? 0;
    this.maxBudgetUsd = options.maxBudgetUsd ?? known?.maxBudgetUsd;
  }

  /** @throws ClaudeCodeError REGISTRY_UNREADABLE */
  static async open(options: LedgerOptions): Promise<SessionLedger> {
    const { stateDir, agentId, sessionId, action, env } = options;
    if (action === 'fresh') return new SessionLedger(options, undefined, 0);
    const known = readRegistry(stateDir, agentId).get(sessionId);
    return new SessionLedger(options, known, await readSavedCost(sessionId, env));
  }

  get totalCostUsd(): number {
    return this.#totalCostUsd;
  }

  /** Of this run. */
  get costUsd(): number {
    return this.#totalCostUsd - this.spentBeforeUsd;
  }

  get turns(): number {
    return this.#turns;
  }

  /** Undefined without a budget. */
  get budgetLeftUsd(): number | undefined {
    return this.maxBudgetUsd === undefined ? undefined : Math.max(0, this.maxBudgetUsd - this.#totalCostUsd);
  }

  get isSpent(): boolean {
    return this.budgetLeftUsd === 0;
  }

  async begin(model: string, child: ProcessIdentity | undefined): Promise<void> {
    this.#hasBegun = true;
    const { sessionId, agentId, repoPath, label, task } = this.#options;
    await this.#write((known) => {
      const { endedAt: _, result: __, ...kept } = known ?? {};
      return {
        ...kept,
        sessionId,
        agentId,
        repoPath,
        ...(label === undefined ? {} : { label }),
        tasks: [...(known?.tasks ?? []), task].slice(-KEPT_TASKS),
        ...this.#figures(),
        model,
        startedAt: new Date().toISOString(),
        runner: ownIdentity(),
        ...(child === undefined ? {} : { child }),
      };
    });
  }

  /** `reportedUsd` is Claude Code's sum over the session; 0 where it failed before it could tell. */
  async addTurn(reportedUsd: number): Promise<TurnCost> {
    const before = this.#totalCostUsd;
    this.#totalCostUsd = Math.max(before, this.#unsavedUsd + reportedUsd);
    this.#turns += 1;
    await this.#write((known) => known && { ...known, ...this.#figures() });
    return { costUsd: this.#totalCostUsd - before, totalCostUsd: this.#totalCostUsd };
  }

  async finish(result: RunResult): Promise<void> {
    if (!this.#hasBegun) return;
    await this.#addUnfinished(result);
    await this.#write((known) => {
      if (known === undefined) return undefined;
      const { runner: _, child: __, ...kept } = known;
      return { ...kept, ...this.#figures(), endedAt: new Date().toISOString(), result };
    });
  }

  /** A turn that was cut short has no result; what it cost is in what Claude Code saved at its end. */
  async #addUnfinished(result: RunResult): Promise<void> {
    if (result !== 'aborted' && result !== 'error') return;
    const savedUsd = await readSavedCost(this.#options.sessionId, this.#options.env);
    this.#totalCostUsd = Math.max(this.#totalCostUsd, this.#unsavedUsd + savedUsd);
  }

  #figures() {
    return {
      turns: this.#turnsBefore + this.#turns,
      totalCostUsd: this.#totalCostUsd,
      ...(this.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: this.maxBudgetUsd }),
    };
  }

  async #write(
    change: (known: RegisteredSession | undefined) => RegisteredSession | undefined,
  ): Promise<void> {
    const { stateDir, agentId, sessionId, onProblem } = this.#options;
    try {
      await updateRegistry(stateDir, agentId, (sessions) => {
        const changed = change(sessions.get(sessionId));
        if (changed !== undefined) sessions.set(sessionId, changed);
      });
    } catch (error) {
      onProblem(`The session could not be written down: ${(error as Error).message}`);
    }
  }
}
