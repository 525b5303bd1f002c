import { isHolderAlive } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { updateRegistry } from '../registry/registry-file.ts';
import { findLastWritten, readSavedCost } from './saved-cost.ts';
import { countSpent } from './session-history.ts';

/**
 * Writes down the end of runs whose process is gone without having done so, and what they cost until then.
 * One whose process cannot be judged from here is left alone.
 */
export async function closeCrashed(
  sessions: readonly RegisteredSession[],
  { stateDir, env }: { readonly stateDir: string; readonly env: Environment },
): Promise<void> {
  for (const { agentId, sessionId, runner } of sessions) {
    if (runner === undefined || isHolderAlive(runner) !== 'dead') continue;
    const savedUsd = await readSavedCost(sessionId, env);
    const endedAt = (findLastWritten(sessionId, env) ?? new Date()).toISOString();
    await updateRegistry(stateDir, agentId, (entries) => {
      const entry = entries.get(sessionId);
      // Somebody else has written it down, or has begun another run.
      if (entry?.runner === undefined || isHolderAlive(entry.runner) !== 'dead') return;
      const { runner: _, ...kept } = entry;
      const totalCostUsd = countSpent(entry, savedUsd);
      entries.set(sessionId, { ...kept, totalCostUsd, endedAt, result: 'error' });
    });
  }
}
