import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, type StoredSession } from '@openbot/sessions';
import type { LocatedSession, SearchScope } from 'oc-context-cleaner';

/**
 * Gives sessions the entries of the stores that `openbot.json` names. Finding looks for stores beside the transcripts, and
 * knows only OpenClaw's settings.
 */
export async function addConfiguredEntries(
  stateDir: string,
  sessions: readonly LocatedSession[],
  { env, cwd, warn }: Pick<SearchScope, 'env' | 'cwd' | 'warn'>,
): Promise<readonly LocatedSession[]> {
  if (!mayNameStore(stateDir)) return sessions;
  try {
    const { openSessionFolder } = await import('../kept-sessions/open-session-folder.ts');
    const folder = await openSessionFolder(stateDir, { env, cwd });
    const stored = folder.agentIds.flatMap((agentId) =>
      folder
        .open(agentId)
        .list()
        .map((session) => ({ ...session, agentId })),
    );
    const found = Map.groupBy(stored, ({ agentId, entry }) => `${agentId} ${entry.sessionId}`);
    return sessions.map((session) => {
      const entries = found.get(`${session.agentId} ${session.sessionId}`);
      return entries === undefined ? session : { ...session, entries: entries.sort(byAge) };
    });
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    // The words are found without it.
    warn?.(error);
    return sessions;
  }
}

/** The configuration is read whole only where it may say something about it. */
function mayNameStore(stateDir: string): boolean {
  try {
    return readFileSync(join(stateDir, 'openbot.json'), 'utf8').includes('store');
  } catch {
    return false;
  }
}

function byAge(one: StoredSession, other: StoredSession): number {
  return (other.entry.updatedAt ?? 0) - (one.entry.updatedAt ?? 0);
}
