import { OpenBotError } from '@openbot/sessions';
import { ownIdentity } from '@openbot/sessions/disk';
import { formatUsd, shorten } from '@openbot/sessions/terminal-text';
import { rememberEnd } from '../registry/is-running.ts';
import type { RegisteredSession, RunResult } from '../registry/registered-session.ts';
import { updateRegistry } from '../registry/registry-file.ts';
import { findRepoKey, isRepoKey } from '../repo/resolve-repo.ts';
import type { RunAction } from '../run-contract/run-event.ts';
import { hideSecrets } from '../scan/hide-secrets.ts';
import { readSavedCost } from './saved-cost.ts';
import {
  countLeft,
  countSpent,
  type HistoryScope,
  NO_HISTORY,
  readHistory,
  type SessionHistory,
} from './session-history.ts';
import { takeLabel } from './take-label.ts';

interface LedgerOptions extends HistoryScope {
  readonly repoPath: string;
  readonly sessionId: string;
  readonly action: RunAction;
  /** The session that a fork is made of: Claude Code continues to count its cost, so its budget applies too. */
  readonly forkOf?: string;
  /** The session that a fresh one replaces. The fresh one gets the rest of its budget. */
  readonly replaces?: string;
  readonly label: string | undefined;
  readonly task: string;
  readonly maxBudgetUsd: number | undefined;
  /** Called if the registry cannot be written, and if a label moves. */
  readonly warn: (message: string) => void;
}

interface TurnCost {
  readonly costUsd: number;
  readonly totalCostUsd: number;
}

type Beginning = Pick<RegisteredSession, 'model' | 'startedAt' | 'runner'>;

/** A run that has begun. */
interface RunRecord {
  readonly beginning: Beginning;
  /** The beginning is written once: a label may be given to another session meanwhile. */
  readonly isRegistered: boolean;
  readonly end?: Pick<RegisteredSession, 'endedAt' | 'result'>;
}

const KEPT_TASKS = 50;
/** Enough to see what a session is about. */
const TASK_LENGTH = 2000;

/** Counts the cost and turns of a session over all its runs, and writes them to the registry. */
export class SessionLedger {
  readonly #options: LedgerOptions;
  readonly maxBudgetUsd: number | undefined;
  readonly spentBeforeUsd: number;
  /** The cost that Claude Code has not saved because of a crash, and so does not count. */
  readonly #unsavedUsd: number;
  readonly #turnsBefore: number;
  #totalCostUsd: number;
  #turns = 0;
  #run: RunRecord | undefined;

  private constructor(options: LedgerOptions, history: SessionHistory, maxBudgetUsd: number | undefined) {
    this.#options = options;
    this.maxBudgetUsd = maxBudgetUsd;
    this.spentBeforeUsd = history.spentUsd;
    this.#unsavedUsd = history.spentUsd - history.savedUsd;
    this.#totalCostUsd = history.spentUsd;
    this.#turnsBefore = history.own?.turns ?? 0;
  }

  /** @throws OpenBotError REGISTRY_UNREADABLE; BUDGET_SPENT if nothing of the budget is left */
  static async open(options: LedgerOptions): Promise<SessionLedger> {
    const { sessionId, maxBudgetUsd, replaces } = options;
    const history = await readBefore(options);
    if (maxBudgetUsd !== undefined || replaces === undefined) {
      const budget = maxBudgetUsd ?? history.maxBudgetUsd;
      assertUnspent(options.forkOf ?? sessionId, { ...history, maxBudgetUsd: budget });
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

  get hasBegun(): boolean {
    return this.#run !== undefined;
  }

  async begin(model: string): Promise<void> {
    const beginning = { model, startedAt: new Date().toISOString(), runner: ownIdentity() };
    this.#run = { beginning, isRegistered: false };
    await this.#write(this.#run);
  }

  /**
   * @param reportedUsd Claude Code's sum over the session; 0 if it failed before it knew
   * @param turns the number of our messages that were answered
   */
  async addCost(reportedUsd: number, turns = 1): Promise<TurnCost> {
    const before = this.#totalCostUsd;
    this.#totalCostUsd = Math.max(before, this.#unsavedUsd + reportedUsd);
    this.#turns += turns;
    if (this.#run !== undefined) await this.#write(this.#run);
    return { costUsd: this.#totalCostUsd - before, totalCostUsd: this.#totalCostUsd };
  }

  async finish(result: RunResult): Promise<void> {
    if (this.#run === undefined) return;
    await this.#addUnfinished();
    const run = { ...this.#run, end: { endedAt: new Date().toISOString(), result } };
    const isWritten = await this.#write(run);
    if (!isWritten) rememberEnd(this.#options.sessionId, run.beginning.startedAt);
  }

  /** A turn that was interrupted has no result; Claude Code saved its cost when it ended. */
  async #addUnfinished(): Promise<void> {
    const savedUsd = await readSavedCost(this.#options.sessionId, this.#options.env);
    const figures = { totalCostUsd: this.#totalCostUsd, unsavedUsd: this.#unsavedUsd };
    this.#totalCostUsd = countSpent(figures, savedUsd);
  }

  /** Writes all that is known by now, also what an earlier write that failed did not. */
  async #write(run: RunRecord): Promise<boolean> {
    const { stateDir, agentId, sessionId, warn } = this.#options;
    const { beginning, isRegistered, end } = run;
    const notes: string[] = [];
    try {
      await updateRegistry(stateDir, agentId, (sessions) => {
        const known = sessions.get(sessionId);
        const begun = isRegistered && known ? known : this.#register(beginning, sessions, notes);
        const { runner: _, ...over } = begun;
        const figures = this.#figures();
        const entry = end ? { ...over, ...figures, ...end } : { ...begun, ...figures };
        sessions.set(sessionId, entry);
      });
    } catch (error) {
      warn(`The session could not be recorded in the registry: ${(error as Error).message}`);
      return false;
    }
    this.#run = { ...run, isRegistered: true };
    for (const note of notes) warn(note);
    return true;
  }

  /** The entry of a run that begins; also updates the entries of other sessions that it affects. */
  #register(
    beginning: Beginning,
    sessions: Map<string, RegisteredSession>,
    notes: string[],
  ): RegisteredSession {
    const { sessionId, agentId, repoPath, task, replaces } = this.#options;
    const known = sessions.get(sessionId);
    notes.push(...takeLabel(this.#options, sessions));
    const replaced = replaces === undefined ? undefined : sessions.get(replaces);
    // The rest of its budget belongs to this session now, and must not be given away twice.
    if (replaced?.maxBudgetUsd !== undefined) {
      sessions.set(replaced.sessionId, { ...replaced, maxBudgetUsd: replaced.totalCostUsd });
    }
    const { endedAt: _, result: __, repoKey: ___, ...kept } = known ?? {};
    const repoKey = findRepoKey(repoPath);
    const { label = known?.label } = this.#options;
    return {
      ...kept,
      sessionId,
      agentId,
      repoPath,
      ...(isRepoKey(repoKey) ? { repoKey } : {}),
      label,
      tasks: [...(known?.tasks ?? []), keepTask(task)].slice(-KEPT_TASKS),
      ...this.#figures(),
      ...beginning,
    };
  }

  #figures() {
    return {
      turns: this.#turnsBefore + this.#turns,
      totalCostUsd: this.#totalCostUsd,
      ...(this.#unsavedUsd === 0 ? {} : { unsavedUsd: this.#unsavedUsd }),
      maxBudgetUsd: this.maxBudgetUsd,
    };
  }
}

async function readBefore(options: LedgerOptions): Promise<SessionHistory> {
  const { action, sessionId, forkOf } = options;
  if (action === 'resume') return readHistory(sessionId, options);
  return forkOf === undefined ? NO_HISTORY : { ...(await readHistory(forkOf, options)), own: undefined };
}

/** Tasks are shown to users and models; the original is in the transcript. */
function keepTask(task: string): string {
  return shorten(hideSecrets(task, TASK_LENGTH), TASK_LENGTH);
}

function assertUnspent(sessionId: string, { spentUsd, maxBudgetUsd }: SessionHistory): void {
  if (maxBudgetUsd === undefined || spentUsd < maxBudgetUsd) return;
  throw new OpenBotError(
    'BUDGET_SPENT',
    `Session ${sessionId} has spent its budget: ${formatUsd(spentUsd)} of ${formatUsd(maxBudgetUsd)}`,
    { hint: 'Give it a larger budget, or start a fresh session.' },
  );
}
