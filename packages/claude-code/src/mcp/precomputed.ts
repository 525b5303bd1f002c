import { redactSecrets, resolveAgentFolderName } from '@openbot/sessions';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { ProjectStatus } from '../project-status/project-status.ts';
import { mapTexts } from './bounded-text.ts';
import { countSessions, isVisible, pareForTool } from './described-session.ts';
import { toIsoTime } from './iso-time.ts';
import type { Precomputed, SessionCounts } from './mcp-options.ts';

/** The variable by which a spawned server is told what is known already. */
export const PRECOMPUTED_VARIABLE = 'OPENBOT_MCP_PRECOMPUTED';

/** A variable of a process may hold no more than 32767 characters on Windows. */
const MAX_LENGTH = 24_000;
const VERSION = 1;

/**
 * As text of at most 24000 characters, with no more in it than the tools tell this agent: the configuration of a spawned
 * server stands on a command line, which everybody on the machine can read. What does not fit is left out: of the
 * sessions the last ones, which are then counted, and the status as a whole, which is then gathered anew.
 */
export function writePrecomputed(known: Precomputed, agentId?: string): string {
  return writeBounded(pare(known, resolveAgentFolderName(agentId)));
}

function pare({ status, sessions, ofOtherAgents, ...rest }: Precomputed, agentId: string): Precomputed {
  const pareAll = (list: readonly DiscoveredSession[]) =>
    list.filter((session) => isVisible(session, agentId)).map(pareForTool);
  const others = countSessions(sessions?.filter((session) => !isVisible(session, agentId)) ?? []);
  return {
    ...rest,
    ...(status === undefined ? {} : { status: pareStatus(status, pareAll) }),
    ...(sessions === undefined
      ? {}
      : {
          sessions: pareAll(sessions),
          ofOtherAgents: {
            count: others.count + (ofOtherAgents?.count ?? 0),
            running: others.running + (ofOtherAgents?.running ?? 0),
          },
        }),
  };
}

function pareStatus(
  { repo, sessions, ...rest }: ProjectStatus,
  pareAll: (list: readonly DiscoveredSession[]) => DiscoveredSession[],
): ProjectStatus {
  const { active, recent, ownRecent, total } = sessions;
  return {
    repo,
    sessions: { active: pareAll(active), recent: pareAll(recent), ownRecent: pareAll(ownRecent), total },
    ...mapTexts(rest, redactSecrets),
  };
}

function writeBounded({ status, sessions, asOf, ofOtherAgents, sessionsLeftOut = 0 }: Precomputed): string {
  const write = (kept: Precomputed) => JSON.stringify({ version: VERSION, ...kept });
  const alone = write(status === undefined ? {} : { status });
  const known = status === undefined || alone.length > MAX_LENGTH ? {} : { status };
  if (sessions === undefined) return write(known);
  const rest = {
    asOf: asOf ?? new Date().toISOString(),
    ofOtherAgents,
    sessionsLeftOut: sessionsLeftOut + sessions.length,
  };
  let room = MAX_LENGTH - write({ ...known, sessions: [], ...rest }).length;
  let count = 0;
  for (const session of sessions) {
    room -= JSON.stringify(session).length + 1;
    if (room < 0) break;
    count++;
  }
  // A list without any session in it would hide them all.
  if (count === 0 && sessions.length > 0) return write(known);
  const left = sessionsLeftOut + sessions.length - count;
  return write({ ...known, sessions: sessions.slice(0, count), ...rest, sessionsLeftOut: left });
}

/** What `writePrecomputed` wrote. What cannot be read is not there: it is then looked for anew. */
export function readPrecomputed(env: Readonly<Record<string, string | undefined>>): Precomputed {
  const text = env[PRECOMPUTED_VARIABLE];
  if (text === undefined || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value.version !== VERSION) return {};
    const sessions = Array.isArray(value.sessions) ? value.sessions.map(readSession) : undefined;
    const isComplete = sessions?.every((session) => session !== undefined) ?? false;
    const status = readStatus(value.status);
    return {
      ...(status === undefined ? {} : { status }),
      ...(isComplete ? { sessions: sessions as DiscoveredSession[] } : {}),
      ...(isTime(value.asOf) ? { asOf: value.asOf } : {}),
      ...(isCount(value.sessionsLeftOut) ? { sessionsLeftOut: value.sessionsLeftOut } : {}),
      ...(isCounts(value.ofOtherAgents) ? { ofOtherAgents: value.ofOtherAgents } : {}),
    };
  } catch {
    return {};
  }
}

const TEXTS = ['sessionId', 'repoPath', 'cwd', 'branch', 'firstMessage'];
const COUNTS = [
  'messageCount',
  'lineCount',
  'fileSizeBytes',
  'totalInputTokens',
  'totalCacheTokens',
  'totalOutputTokens',
  'compactionCount',
];

function readSession(value: unknown): DiscoveredSession | undefined {
  if (!isRecord(value) || !isTime(value.lastModified)) return undefined;
  if (typeof value.isRunning !== 'boolean' || typeof value.hasTranscript !== 'boolean') return undefined;
  if (!TEXTS.every((name) => typeof value[name] === 'string')) return undefined;
  if (value.source !== 'openclaw' && value.source !== 'native-only') return undefined;
  if (!COUNTS.every((name) => isCount(value[name]))) return undefined;
  return { ...(value as unknown as DiscoveredSession), lastModified: new Date(value.lastModified) };
}

function readStatus(value: unknown): ProjectStatus | undefined {
  if (!isRecord(value) || !isRecord(value.repo) || !isRecord(value.git) || !isRecord(value.docs))
    return undefined;
  if (!isRecord(value.sessions) || !Array.isArray(value.gaps) || !isTime(value.timestamp)) return undefined;
  const { active, recent, ownRecent } = value.sessions;
  const lists = [active, recent, ownRecent].map((list) =>
    Array.isArray(list) ? list.map(readSession) : [undefined],
  );
  if (lists.some((list) => list.includes(undefined))) return undefined;
  const sessions = { ...value.sessions, active: lists[0], recent: lists[1], ownRecent: lists[2] };
  return { ...value, sessions } as unknown as ProjectStatus;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && toIsoTime(value) === value;
}

function isCounts(value: unknown): value is SessionCounts {
  return isRecord(value) && isCount(value.count) && isCount(value.running);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
