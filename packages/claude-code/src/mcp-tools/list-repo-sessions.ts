import { describeSession } from '../discover/describe-session.ts';
import { discoverSessions } from '../discover/discover-sessions.ts';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { readRegistry } from '../registry/registry-file.ts';
import type { KnownSessions, McpScope } from './mcp-options.ts';

/** What is known beforehand holds for so long. A run goes on for longer, and wants to see what changed. */
const KNOWN_FOR_MS = 60_000;

/** The sessions of the repository, those known beforehand or those found now, and the one that asks. */
export async function listRepoSessions(scope: McpScope, signal?: AbortSignal): Promise<KnownSessions> {
  const { repoPath, agentId, stateDir, env, runSessionId } = scope;
  const { sessions, asOf } = takeKnown(scope) ?? {
    asOf: new Date().toISOString(),
    sessions: await discoverSessions(repoPath, { agentId, stateDir, env, signal }),
  };
  if (runSessionId === undefined) return { sessions, asOf };
  const asking = sessions.find(({ sessionId }) => sessionId === runSessionId);
  const others = sessions.filter((session) => session !== asking);
  return { sessions: [describeAsking(asking, runSessionId, scope), ...others], asOf };
}

/** A time that lies ahead is as wrong as one that is long ago. */
function takeKnown({ known }: McpScope): KnownSessions | undefined {
  if (known === undefined) return undefined;
  return Math.abs(Date.now() - Date.parse(known.asOf)) < KNOWN_FOR_MS ? known : undefined;
}

/** A session that was looked at before its run is told as it is now; a fresh one was not there to be looked at. */
function describeAsking(
  seen: DiscoveredSession | undefined,
  sessionId: string,
  { agentId, repoPath, stateDir }: McpScope,
): DiscoveredSession {
  const now = new Date();
  const entry = readRegistry(stateDir, agentId).get(sessionId);
  const unwritten = { sessionId, agentId, repoPath, tasks: [], turns: 0, totalCostUsd: 0 };
  const lastTask = entry?.tasks.at(-1);
  return {
    ...(seen ??
      describeSession(repoPath, undefined, entry ?? { ...unwritten, startedAt: now.toISOString() })),
    source: 'openclaw',
    agentId,
    lastTask,
    // It asks, so it has just been written to.
    lastModified: now,
    hasTranscript: true,
    isRunning: true,
    isOpen: true,
  };
}
