import { existsSync } from 'node:fs';
import { resolveSessionFilePath } from '@openbot/sessions';
import { formatQuantity, quoteForShell } from '@openbot/sessions/terminal-text';
import type { Check, Finding } from '../contract.ts';
import { type AgentFiles, listAgentFiles } from '../session-files.ts';

/** Thinking of sessions that providers refuse, or leave out of every request, since something before it was changed. */
export const thinking: Check = {
  name: 'thinking',
  about: 'Thinking that providers refuse or leave out, because what comes before it was changed',
  needs: 'folder',
  async look(place) {
    const findings: Finding[] = [];
    for (const { key, path } of listAgentFiles(place).flatMap(listSessions)) {
      findings.push(...(await examineSession(key, path, place.stateDir)));
    }
    return findings;
  },
};

function listSessions({ sessions = [], folder, agentId }: AgentFiles): { key: string; path: string }[] {
  return sessions.flatMap(({ key, entry }) => {
    const { sessionId } = entry;
    if (sessionId === undefined) return [];
    try {
      const path = resolveSessionFilePath(sessionId, entry, { sessionsDir: folder, agentId });
      return existsSync(path) ? [{ key, path }] : [];
    } catch {
      return [];
    }
  });
}

/** Nothing of one that cannot be read: other checks name it. */
async function examineSession(key: string, path: string, cwd: string): Promise<Finding[]> {
  const { describeSession } = await import('oc-context-cleaner');
  const scope = { env: {}, cwd, source: 'openclaw' } as const;
  const described = await describeSession({ scope, sessionId: path, presets: {} }).catch(() => undefined);
  const { staleThinking, droppedThinking, turns } = described?.info ?? {};
  const findings: Finding[] = [];
  if (staleThinking !== undefined) {
    findings.push({
      severity: 'warning',
      what: `${formatQuantity(staleThinking, 'block')} of thinking of ${key} ${staleThinking === 1 ? 'is' : 'are'} stale: an earlier clean or restore changed what comes before`,
      // Keeps each turn as it is.
      remedy: `'openbot clean edit ${quoteForShell(path)} --keep ${Math.max(1, turns?.withTools ?? 0)} --truncate 0' removes what the provider refuses or leaves out, and no tool call`,
    });
  }
  if (droppedThinking?.isCurrent) {
    findings.push({
      severity: 'warning',
      what: `The provider left ${formatQuantity(droppedThinking.blocks, 'block')} of thinking out of the last request of ${key}`,
      remedy: 'Thinking that is left out is lost at every request; a compaction or a reset begins without it',
    });
  }
  return findings;
}
