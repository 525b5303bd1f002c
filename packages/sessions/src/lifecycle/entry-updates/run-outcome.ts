import type { RunAbortCause, SessionEntry } from '../../entry/session-entry.ts';
import type { SessionSkillSnapshot } from '../../entry/snapshots.ts';
import type { StoredEntry } from '../../store/contract.ts';
import { type AgentSessionsParams, openAgentSessions } from '../agent-sessions.ts';
import { readClock } from '../clock.ts';
import { changeEntry } from './change-entry.ts';
import { countCompactions } from './compaction-count.ts';
import { readUsage, type SessionUsageUpdate } from './session-usage.ts';

/** How a run ended, for the entry. What is absent leaves its fields as they are. */
export interface RunOutcome
  extends Pick<
    SessionUsageUpdate,
    'usage' | 'modelUsed' | 'providerUsed' | 'contextTokensUsed' | 'systemPromptReport' | 'cliSessionId'
  > {
  /** In OpenClaw's words: `running`, `done`, `failed`, `killed`, `timeout`. */
  status?: SessionEntry['status'];
  /** What clients of a gateway call the run. */
  lastRunId?: string;
  /** ms */
  startedAt?: number;
  endedAt?: number;
  /** The model was given the system prompt. */
  systemSent?: true;
  /** The model was given what it must know about its group. */
  groupIntroSent?: true;
  /** What ended the run early; null when it came to its own end. */
  abortedBy?: RunAbortCause | null;
  compactions?: {
    readonly count: number;
    /** Size of the context after the last one. */
    readonly tokensAfter?: number;
    /** `usage` is of a request before the last compaction, so it does not tell the size of the context. */
    readonly isNewerThanUsage: boolean;
  };
  /** The run was a memory flush: none is due before the next compaction after it began. */
  memoryFlush?: {
    readonly at: number;
    /** The entry's count when the flush began. */
    readonly compactionCount: number;
  };
  thinkingLevel?: string;
  /** Old tool calls were removed because the conversation had become too long. */
  lastClean?: SessionEntry['lastClean'];
  /** Blocks of thinking that a provider left out of requests. */
  droppedThinking?: number;
  /** What the person was told about a model that answers in the place of another; null forgets it. */
  fallbackNotice?: { readonly selected: string; readonly active: string; readonly reason: string } | null;
  skillsSnapshot?: SessionSkillSnapshot;
  /** The Claude Agent SDK's session behind this one. */
  sdkSessionId?: string;
}

/**
 * Writes everything that a run changes in its session's entry, in one change of the store. Null when there is no entry,
 * or the key points to another session by now.
 */
export async function persistRunOutcome(
  params: AgentSessionsParams &
    RunOutcome &
    Pick<SessionUsageUpdate, 'now' | 'newId'> & {
      sessionKey: string;
      /** The session that the run belonged to. */
      sessionId?: string;
      /** False for a run that no person asked for: it does not keep the session fresh. True. */
      isActivity?: boolean;
    },
): Promise<SessionEntry | null> {
  return changeEntry(openAgentSessions(params), readClock(params), {
    sessionKey: params.sessionKey,
    sessionId: params.sessionId,
    isActivity: params.isActivity ?? true,
    patch: (entry) => readOutcome(entry, params, readClock(params).now),
  });
}

function readOutcome(entry: StoredEntry, outcome: RunOutcome, now: number): Partial<SessionEntry> {
  const { status, systemSent, thinkingLevel, skillsSnapshot, memoryFlush, fallbackNotice } = outcome;
  const sdkSessionId = outcome.sdkSessionId?.trim();
  return {
    ...readFigures(entry, outcome),
    ...readTimes(entry, outcome),
    ...(status === undefined ? {} : { status }),
    ...(outcome.lastRunId !== undefined && { lastRunId: outcome.lastRunId }),
    ...(systemSent === true && { systemSent }),
    ...(outcome.groupIntroSent === true &&
      entry.groupActivationNeedsSystemIntro === true && { groupActivationNeedsSystemIntro: false }),
    ...(outcome.abortedBy !== undefined && readAbort(outcome.abortedBy)),
    ...(memoryFlush !== undefined && {
      memoryFlushAt: memoryFlush.at,
      memoryFlushCompactionCount: memoryFlush.compactionCount,
    }),
    ...(thinkingLevel !== undefined && { lastThinkingLevel: thinkingLevel }),
    ...(outcome.lastClean !== undefined && { lastClean: outcome.lastClean }),
    ...(outcome.droppedThinking !== undefined && {
      droppedThinking: {
        at: outcome.endedAt ?? now,
        blocks: (entry.droppedThinking?.blocks ?? 0) + outcome.droppedThinking,
      },
    }),
    ...(fallbackNotice !== undefined && {
      fallbackNoticeSelectedModel: fallbackNotice?.selected,
      fallbackNoticeActiveModel: fallbackNotice?.active,
      fallbackNoticeReason: fallbackNotice?.reason,
    }),
    ...(skillsSnapshot !== undefined && { skillsSnapshot }),
    ...(sdkSessionId && { sdkSessionId }),
  };
}

function readFigures(entry: StoredEntry, outcome: RunOutcome): Partial<SessionEntry> {
  const usage = readUsage(entry, outcome);
  const { compactions } = outcome;
  if (compactions === undefined || compactions.count <= 0) return usage;
  const { count, tokensAfter, isNewerThanUsage } = compactions;
  if (!isNewerThanUsage) return { ...countCompactions(entry, count, tokensAfter), ...usage };
  // Without a figure from the compaction, the one of the usage is known and out of date.
  return { ...usage, ...countCompactions({ ...entry, ...usage }, count, tokensAfter) };
}

function readTimes(entry: StoredEntry, { startedAt, endedAt }: RunOutcome): Partial<SessionEntry> {
  const began = startedAt ?? entry.startedAt;
  return {
    // A run that begins has no end yet, whatever the one before left.
    ...(startedAt !== undefined && { startedAt, endedAt: undefined, runtimeMs: undefined }),
    ...(endedAt !== undefined && { endedAt }),
    ...(endedAt !== undefined && began !== undefined && { runtimeMs: Math.max(0, endedAt - began) }),
  };
}

function readAbort(cause: RunAbortCause | null): Partial<SessionEntry> {
  return { abortedLastRun: cause !== null, abortedBy: cause ?? undefined };
}
