import { ownIdentity, type ProcessIdentity } from '@openbot/sessions';
import { ClaudeCodeError } from '../errors.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { updateRegistry } from '../registry/registry-file.ts';
import type { RunResult } from './run-event.ts';
import { readSavedCost } from './saved-cost.ts';
import {
  countLeft,
  countSpent,
  type HistoryPlace,
  NO_HISTORY,
  readHistory,
  type SessionHistory,
} from './session-history.ts';
import { takeLabel } from './take-label.ts';

export interface LedgerOptions extends HistoryPlace {
  readonly repoPath: string;
  readonly sessionId: string;
  readonly action: 'resume' | 'fresh';
  /** The session that a fresh one takes the place of. It gets what is left of its budget. */
  readonly replaces?: string | undefined;
  readonly label: string | undefined;
  readonly task: string;
  readonly maxBudgetUsd: number | undefined;
  /** Told what could not be written down, and what a label named before. */
  readonly warn: (message: string) => void;
}

export interface TurnCost {
  readonly costUsd: number;
  readonly totalCostUsd: number;
}

const KEPT_TASKS = 50;

/** What a session costs and did, counted over all its runs and written into the registry. */
export class SessionLedger {
  readonly #options: LedgerOptions;
  readonly maxBudgetUsd: number | undefined;
  readonly spentBeforeUsd: number;
  /** What Claude Code does not know of: it counts on from what it last saved, which a crash cuts short. */
  readonly #unsavedUsd: number;
  readonly #turnsBefore: number;
  #totalCostUsd: number;
  #turns = 0;
  #hasBegun = false;

  private constructor(options: LedgerOptions, history: SessionHistory, maxBudgetUsd: number | undefined) {
    this.#options = options;
    this.maxBudgetUsd = maxBudgetUsd;
    this.spentBeforeUsd = history.spentUsd;
    this.#unsavedUsd = history.spentUsd - history.savedUsd;
    this.#totalCostUsd = history.spentUsd;
    this.#turnsBefore = history.own?.turns ?? 0;
  }

  /** @throws ClaudeCodeError REGISTRY_UNREADABLE; BUDGET_SPENT where nothing may be done any more */
  static async open(options: LedgerOptions): Promise<SessionLedger> {
    const { sessionId, action, maxBudgetUsd, replaces } = options;
    const history = action === 'resume' ? await readHistory(sessionId, options) : NO_HISTORY;
    if (maxBudgetUsd !== undefined || replaces === undefined) {
      const budget = maxBudgetUsd ?? history.maxBudgetUsd;
      assertUnspent(sessionId, { ...history, maxBudgetUsd: budget });
      return new SessionLedger(options, history, budget);
    }
    const replaced = await readHistory(replaces, options);
    assertUnspent(replaces, replaced);
    return new SessionLedger(options, history, countLeft(replaced));
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
    return countLeft({ spentUsd: this.#totalCostUsd, maxBudgetUsd: this.maxBudgetUsd });
  }

  get isSpent(): boolean {
    return this.budgetLeftUsd === 0;
  }

  /** `mark` is what every process of the run carries in its environment. */
  async begin(model: string, child: ProcessIdentity | undefined, mark?: string): Promise<void> {
    this.#hasBegun = true;
    const { sessionId, agentId, repoPath, task, warn } = this.#options;
    const warnings: string[] = [];
    await this.#write((known, sessions) => {
      warnings.push(...takeLabel(this.#options, sessions));
      const { endedAt: _, result: __, ...kept } = known ?? {};
      const { label = known?.label } = this.#options;
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
        ...(mark === undefined ? {} : { mark }),
      };
    });
    for (const warning of warnings) warn(warning);
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
      const { runner: _, child: __, mark: ___, ...kept } = known;
      return { ...kept, ...this.#figures(), endedAt: new Date().toISOString(), result };
    });
  }

  /** A turn that was cut short has no result; what it cost is in what Claude Code saved at its end. */
  async #addUnfinished(result: RunResult): Promise<void> {
    if (result !== 'aborted' && result !== 'error') return;
    const savedUsd = await readSavedCost(this.#options.sessionId, this.#options.env);
    const figures = { totalCostUsd: this.#totalCostUsd, unsavedUsd: this.#unsavedUsd };
    this.#totalCostUsd = countSpent(figures, savedUsd);
  }

  #figures() {
    return {
      turns: this.#turnsBefore + this.#turns,
      totalCostUsd: this.#totalCostUsd,
      ...(this.#unsavedUsd === 0 ? {} : { unsavedUsd: this.#unsavedUsd }),
      ...(this.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: this.maxBudgetUsd }),
    };
  }

  async #write(
    change: (
      known: RegisteredSession | undefined,
      sessions: Map<string, RegisteredSession>,
    ) => RegisteredSession | undefined,
  ): Promise<void> {
    const { stateDir, agentId, sessionId, warn } = this.#options;
    try {
      await updateRegistry(stateDir, agentId, (sessions) => {
        const changed = change(sessions.get(sessionId), sessions);
        if (changed !== undefined) sessions.set(sessionId, changed);
      });
    } catch (error) {
      warn(`The session could not be written down: ${(error as Error).message}`);
    }
  }
}

function assertUnspent(sessionId: string, { spentUsd, maxBudgetUsd }: SessionHistory): void {
  if (maxBudgetUsd === undefined || spentUsd < maxBudgetUsd) return;
  throw new ClaudeCodeError(
    `Session ${sessionId} has spent its budget: $${spentUsd.toFixed(2)} of $${maxBudgetUsd.toFixed(2)}`,
    'BUDGET_SPENT',
    { hint: 'Give it a larger budget, or start a fresh session.' },
  );
}
