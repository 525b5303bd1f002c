import type { SessionEntry } from '../entry/session-entry.ts';
import type { SessionSystemPromptReport } from '../entry/snapshots.ts';
import type { SessionStore, StoredEntry } from '../store/contract.ts';
import { changeEntry } from './change-entry.ts';
import { type MomentParams, readMoment } from './moment.ts';
import { openPlace } from './session-place.ts';

/** What a run cost, in the words of every provider. */
export type NormalizedUsage = {
  input?: number | undefined;
  output?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  total?: number | undefined;
};

export type SessionUsageUpdate = MomentParams & {
  /** Without a store and a key there is nothing to do. */
  storePath?: string | undefined;
  store?: SessionStore | undefined;
  agentId?: string | undefined;
  sessionKey?: string | undefined;
  /** The session that the run belonged to. If the key points to another one by now, nothing is written. */
  sessionId?: string | undefined;
  usage?: NormalizedUsage | undefined;
  modelUsed?: string | undefined;
  providerUsed?: string | undefined;
  /** Size of the model's context window. */
  contextTokensUsed?: number | undefined;
  systemPromptReport?: SessionSystemPromptReport | undefined;
  /** Session of the provider's command line program. */
  cliSessionId?: string | undefined;
};

/**
 * Writes what a run used into the session's entry. `totalTokens` is what the prompt weighed: input, cacheRead and
 * cacheWrite, not the answer. Figures that are negative or no numbers count as not given.
 */
export async function persistSessionUsageUpdate(params: SessionUsageUpdate): Promise<void> {
  const { storePath, sessionKey } = params;
  if (!storePath || !sessionKey) return;
  const figures = readFigures(params.usage);
  const place = openPlace({ storePath, store: params.store, agentId: params.agentId });
  await changeEntry(place, readMoment(params), {
    sessionKey,
    sessionId: params.sessionId,
    isActivity: true,
    patch: (entry) => {
      const patch = { ...figures, ...readFacts(params), ...readCliSession(entry, params) };
      return Object.keys(patch).length === 0 ? null : patch;
    },
  });
}

function readFigures(usage: NormalizedUsage | undefined): Partial<SessionEntry> {
  const input = readCount(usage?.input);
  const output = readCount(usage?.output);
  const cacheRead = readCount(usage?.cacheRead);
  const cacheWrite = readCount(usage?.cacheWrite);
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const totalTokens = prompt > 0 ? prompt : (readCount(usage?.total) ?? 0);
  // A run that failed before the model answered reports zeros; they would hide how full the context is.
  if (totalTokens === 0 && !output) return {};
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cacheRead: cacheRead ?? 0,
    cacheWrite: cacheWrite ?? 0,
    ...(totalTokens > 0 ? { totalTokens, totalTokensFresh: true } : {}),
  };
}

function readFacts(params: SessionUsageUpdate): Partial<SessionEntry> {
  const { modelUsed, providerUsed, systemPromptReport } = params;
  const contextTokens = readCount(params.contextTokensUsed);
  return {
    ...(providerUsed ? { modelProvider: providerUsed } : {}),
    ...(modelUsed ? { model: modelUsed } : {}),
    ...(contextTokens ? { contextTokens } : {}),
    ...(systemPromptReport ? { systemPromptReport } : {}),
  };
}

const CLAUDE_CLI = 'claude-cli';

function readCliSession(entry: StoredEntry, params: SessionUsageUpdate): Partial<SessionEntry> {
  const id = params.cliSessionId?.trim();
  const provider = params.providerUsed ?? entry.modelProvider;
  if (!id || !provider) return {};
  return {
    cliSessionIds: { ...entry.cliSessionIds, [provider]: id },
    // Older programs look here.
    ...(provider === CLAUDE_CLI ? { claudeCliSessionId: id } : {}),
  };
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}
