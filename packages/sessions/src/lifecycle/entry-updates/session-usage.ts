import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../entry/json-object.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import type { SessionSystemPromptReport } from '../../entry/snapshots.ts';
import type { SessionStore, StoredEntry } from '../../store/contract.ts';
import { type AgentSessionsParams, openAgentSessions } from '../agent-sessions.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { changeEntry } from './change-entry.ts';

/** What a run cost, in the words of every provider. */
export interface NormalizedUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  total?: number;
}

export interface SessionUsageUpdate extends ClockParams {
  /** Without a store and a key there is nothing to do. */
  storePath?: string;
  store?: SessionStore;
  agentId?: string;
  /** The configured name of the main session. `main`. */
  mainKey?: string;
  sessionKey?: string;
  /** The session that the run belonged to. If the key points to another one by now, nothing is written. */
  sessionId?: string;
  usage?: NormalizedUsage;
  modelUsed?: string;
  providerUsed?: string;
  /** Size of the model's context window. */
  contextTokensUsed?: number;
  systemPromptReport?: SessionSystemPromptReport;
  /** Session of the provider's command line program. */
  cliSessionId?: string;
}

/**
 * Writes what a run used into the session's entry. `totalTokens` is what the prompt weighed: input, cacheRead and
 * cacheWrite, not the answer; where a provider tells none of them, its total without the answer. Where it tells the
 * answer alone, the old figures stay and are marked as out of date. Figures that are negative or no numbers count as
 * not given.
 */
export async function persistSessionUsageUpdate(params: SessionUsageUpdate): Promise<void> {
  const { storePath, sessionKey } = params;
  if (!storePath || !sessionKey) return;
  const { store, agentId, mainKey } = params;
  const agent = openAgentSessions({ storePath, store, agentId, mainKey });
  await changeEntry(agent, readClock(params), {
    sessionKey,
    sessionId: params.sessionId,
    isActivity: true,
    patch: (entry) => {
      const patch = readUsage(entry, params);
      return Object.keys(patch).length === 0 ? null : patch;
    },
  });
}

/** The fields that a run's usage changes. */
export function readUsage(entry: StoredEntry, update: SessionUsageUpdate): Partial<SessionEntry> {
  return {
    ...readFigures(entry, update.usage),
    ...readFacts(entry, update),
    ...readCliSession(entry, update),
  };
}

function readFigures(entry: StoredEntry, usage: NormalizedUsage | undefined): Partial<SessionEntry> {
  const inputTokens = readCount(usage?.input) ?? 0;
  const outputTokens = readCount(usage?.output) ?? 0;
  const cacheRead = readCount(usage?.cacheRead) ?? 0;
  const cacheWrite = readCount(usage?.cacheWrite) ?? 0;
  const prompt = inputTokens + cacheRead + cacheWrite;
  if (prompt > 0) {
    const totals = { totalTokens: prompt, totalTokensFresh: true };
    return { inputTokens, outputTokens, cacheRead, cacheWrite, ...totals };
  }
  const answer = outputTokens > 0 ? { outputTokens } : {};
  const totalTokens = (readCount(usage?.total) ?? 0) - outputTokens;
  if (totalTokens > 0) return { ...answer, totalTokens, totalTokensFresh: true };
  // A run that failed before the model answered reports zeros; they say nothing of how full the context is.
  if (outputTokens === 0 || entry.totalTokens === undefined) return answer;
  return { ...answer, totalTokensFresh: false };
}

function readFacts(entry: StoredEntry, params: SessionUsageUpdate): Partial<SessionEntry> {
  const { modelUsed, providerUsed, systemPromptReport } = params;
  const contextTokens = readCount(params.contextTokensUsed);
  return {
    ...(providerUsed ? { modelProvider: providerUsed } : {}),
    ...(modelUsed ? { model: modelUsed } : {}),
    ...(contextTokens ? { contextTokens } : {}),
    ...(systemPromptReport && !saysTheSame(entry.systemPromptReport, systemPromptReport)
      ? { systemPromptReport }
      : {}),
  };
}

/** A report that differs only in its time is not worth a write of its size. */
function saysTheSame(stored: unknown, report: SessionSystemPromptReport): boolean {
  if (!isJsonObject(stored)) return false;
  return isDeepStrictEqual({ ...stored, generatedAt: 0 }, { ...report, generatedAt: 0 });
}

const CLAUDE_CLI = 'claude-cli';

function readCliSession(entry: StoredEntry, params: SessionUsageUpdate): Partial<SessionEntry> {
  const id = params.cliSessionId?.trim();
  const provider = params.providerUsed ?? entry.modelProvider;
  if (!id || !provider) return {};
  return {
    cliSessionIds: { ...(isJsonObject(entry.cliSessionIds) ? entry.cliSessionIds : {}), [provider]: id },
    // Older programs look here.
    ...(provider === CLAUDE_CLI ? { claudeCliSessionId: id } : {}),
  };
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/**
 * Remembers the Claude Agent SDK's session behind this one, for readSdkSessionId to find; undefined forgets it, the
 * older spellings included. Null when there is no entry, or it is another session's by now.
 */
export async function setSdkSessionId(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      sdkSessionId: string | undefined;
      /** The session that the SDK's belongs to: a run that ends after a reset must not revive what was reset. */
      sessionId?: string;
      /** False for a run that no person asked for. True where an id is set. */
      isActivity?: boolean;
    },
): Promise<SessionEntry | null> {
  const sdkSessionId = params.sdkSessionId?.trim() || undefined;
  return changeEntry(openAgentSessions(params), readClock(params), {
    sessionKey: params.sessionKey,
    sessionId: params.sessionId,
    isActivity: params.isActivity ?? sdkSessionId !== undefined,
    patch: (entry) => {
      if (sdkSessionId !== undefined) return { sdkSessionId };
      const { 'claude-cli': _, ...others } = entry.cliSessionIds ?? {};
      return {
        sdkSessionId,
        claudeCliSessionId: undefined,
        cliSessionIds: Object.keys(others).length === 0 ? undefined : others,
      };
    },
  });
}
