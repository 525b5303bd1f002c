import type { Environment } from '@openbot/sessions/layout';
import { openSessionFolder } from '../kept-sessions/open-session-folder.ts';

export interface AgentUsage {
  readonly agentId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** What the entries of sessions recorded of their last runs, by agent. `openbot usage` counts transcripts. */
export async function sumUsage(place: {
  readonly stateDir: string;
  readonly env: Environment;
  readonly cwd: string;
}): Promise<readonly AgentUsage[]> {
  const folder = await openSessionFolder(place.stateDir, place).catch(() => undefined);
  return (folder?.agentIds ?? []).map((agentId) => {
    const sum = { agentId, inputTokens: 0, outputTokens: 0, costUsd: 0 };
    try {
      for (const { entry } of folder!.open(agentId).list()) {
        sum.inputTokens += entry.inputTokens ?? 0;
        sum.outputTokens += entry.outputTokens ?? 0;
        sum.costUsd += entry.estimatedCostUsd ?? 0;
      }
    } catch {
      // The fault is in the report already.
    }
    return sum;
  });
}
