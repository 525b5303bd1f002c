import { isHolderAlive } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { readAllRegistries, readRegistry, updateRegistry } from '../registry/registry-file.ts';
import { findLastWritten, readSavedCost } from './saved-cost.ts';

/** A session before a run resumes it. */
export interface SessionHistory {
  /** In the agent's own registry. */
  readonly own: RegisteredSession | undefined;
  /** Its cost over the runs of all agents. */
  readonly spentUsd: number;
  /** The part of it that Claude Code has saved and continues from. */
  readonly savedUsd: number;
  /** The budget that the agent gave it, else the smallest that another agent did. */
  readonly maxBudgetUsd: number | undefined;
}

export interface HistoryScope {
  readonly stateDir: string;
  readonly agentId: string;
  readonly env: Environment;
}

export const NO_HISTORY: SessionHistory = {
  own: undefined,
  spentUsd: 0,
  savedUsd: 0,
  maxBudgetUsd: undefined,
};

/** @throws OpenBotError REGISTRY_UNREADABLE for the agent's own registry; that of another agent is skipped */
export async function readHistory(
  sessionId: string,
  { stateDir, agentId, env }: HistoryScope,
): Promise<SessionHistory> {
  const own = readRegistry(stateDir, agentId).get(sessionId);
  const all = readAllRegistries(stateDir, () => {}).filter((entry) => entry.sessionId === sessionId);
  const savedUsd = await readSavedCost(sessionId, env);
  const budgets = all.flatMap(({ maxBudgetUsd }) => (maxBudgetUsd === undefined ? [] : [maxBudgetUsd]));
  return {
    own,
    savedUsd,
    spentUsd: Math.max(savedUsd, ...all.map((entry) => countSpent(entry, savedUsd))),
    maxBudgetUsd: own?.maxBudgetUsd ?? (budgets.length === 0 ? undefined : Math.min(...budgets)),
  };
}

/** The cost of a session by its entry and by Claude Code: each can be outdated. */
export function countSpent(
  { totalCostUsd, unsavedUsd = 0 }: Pick<RegisteredSession, 'totalCostUsd' | 'unsavedUsd'>,
  savedUsd: number,
): number {
  return Math.max(totalCostUsd, savedUsd + unsavedUsd);
}

/** Undefined without a budget. */
export function countLeft({
  spentUsd,
  maxBudgetUsd,
}: Pick<SessionHistory, 'spentUsd' | 'maxBudgetUsd'>): number | undefined {
  return maxBudgetUsd === undefined ? undefined : Math.max(0, maxBudgetUsd - spentUsd);
}

/**
 * Records the end of runs whose process died before it could, and their cost up to then. A run whose process cannot be
 * judged from here is left alone.
 */
export async function closeCrashed(
  sessions: readonly RegisteredSession[],
  { stateDir, env }: Pick<HistoryScope, 'stateDir' | 'env'>,
): Promise<void> {
  for (const { agentId, sessionId, runner } of sessions) {
    if (runner === undefined || isHolderAlive(runner) !== 'dead') continue;
    const savedUsd = await readSavedCost(sessionId, env);
    const endedAt = (findLastWritten(sessionId, env) ?? new Date()).toISOString();
    await updateRegistry(stateDir, agentId, (entries) => {
      const entry = entries.get(sessionId);
      // Another process has recorded it meanwhile, or has started another run.
      if (entry?.runner === undefined || isHolderAlive(entry.runner) !== 'dead') return;
      const { runner: _, ...kept } = entry;
      const totalCostUsd = countSpent(entry, savedUsd);
      entries.set(sessionId, { ...kept, totalCostUsd, endedAt, result: 'error' });
    });
  }
}
