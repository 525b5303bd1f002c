import {
  activePath,
  contextTokens,
  OpenBotError,
  reportProgress,
  type Transcript,
  turnsOf,
} from '@openbot/sessions';
import { percentOf } from '@openbot/sessions/terminal-text';
import { contextOf, FLAG, hasTools } from '@openbot/sessions/transcript';
import type { ScheduledEdit } from '../backups/scheduled-edit.ts';
import type { LineReader } from '../clean/plan.ts';
import { planClean } from '../clean/plan-clean.ts';
import { DEFAULT_PRESET_NAME } from '../clean/presets.ts';
import { LARGE_CHARACTERS, type ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { countDropped } from '../rewrite/dropped-thinking.ts';
import { lookForStale } from '../rewrite/stale-thinking.ts';
import { readScheduledEdit } from '../schedule/record.ts';
import { storageOf } from '../storage/all.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import type { SessionLines } from '../storage/contract/rewriting.ts';
import type { FiguresResult } from '../storage/contract/use.ts';
import { foundFieldsOf } from './found-fields.ts';
import type { EditResult, ScheduledEditReport, SessionInfo } from './results.ts';

interface DescribeOptions {
  readonly scope: SearchScope;
  /** An id, its beginning, a key, a label or a path; the current session when absent. */
  readonly sessionId?: string;
  /** What to try on the session, by name. */
  readonly presets: Readonly<Record<string, ResolvedToolRemovalOptions>>;
}

export interface DescribedSession extends ResolvedSession {
  readonly info: SessionInfo;
}

/** What a session is made of and what each preset would leave of it. Changes nothing; the file is read once. */
export async function describeSession(options: DescribeOptions): Promise<DescribedSession> {
  const found = await resolveSession(options.scope, options.sessionId);
  const { session } = found;
  const { read } = await storageOf(session).rewriting();
  const info = await read(session, (lines) => describeTranscript(found, lines, options.presets));
  const path = findTranscriptPath(session);
  if (path === undefined) return { ...found, info };
  const stale = await lookForStale(storageOf(session), session);
  const described = withScheduled(info, path);
  return { ...found, info: stale === undefined ? described : { ...described, staleThinking: stale.blocks } };
}

function describeTranscript(
  found: ResolvedSession,
  lines: SessionLines,
  presets: DescribeOptions['presets'],
): SessionInfo {
  const { transcript, readLine } = lines;
  const droppedThinking = countDropped(lines);
  const { sessionId, source, path, window } = found.session;
  const { entries } = activePath(transcript);
  const { tokens, basis, byKind, byTool } = contextTokens(transcript, contextOf(transcript, entries));
  const brokenLines = transcript.problems.filter(({ problem }) => problem !== 'oversize').length;
  return {
    sessionId,
    ...foundFieldsOf(found),
    source,
    path,
    sizeBytes: transcript.byteLength,
    ...countConversation(transcript, entries),
    tokens: { context: tokens, basis, byKind, byTool: orderByFigure(Object.entries(byTool)) },
    compactions: countCompactions(transcript),
    ...(window === undefined
      ? {}
      : { window: { tokens: window.tokens, percent: percentOf(tokens, window.tokens) } }),
    presets: Object.fromEntries(
      Object.entries(presets).map(([name, removal]) => [name, tryPreset(transcript, removal, readLine)]),
    ),
    ...findLarge(transcript, presets[DEFAULT_PRESET_NAME], readLine),
    ...(brokenLines === 0 ? {} : { brokenLines }),
    ...(droppedThinking !== undefined && { droppedThinking }),
  };
}

function tryPreset(
  transcript: Transcript,
  removal: ResolvedToolRemovalOptions,
  readLine: LineReader,
): SessionInfo['presets'][string] {
  reportProgress({ step: 'plan', text: 'Trying the presets' });
  const { tokens, statistics } = planClean(transcript, removal, readLine);
  return {
    tokensAfter: tokens.after,
    toolCallsRemoved: statistics.toolCallsRemoved,
    toolCallsTruncated: statistics.toolCallsTruncated,
  };
}

function findLarge(
  transcript: Transcript,
  removal: ResolvedToolRemovalOptions | undefined,
  readLine: LineReader,
): Pick<SessionInfo, 'largeCalls'> {
  if (removal === undefined || removal.truncateOver !== undefined) return {};
  const { large } = planClean(transcript, removal, readLine);
  return large.calls === 0 ? {} : { largeCalls: { over: LARGE_CHARACTERS, ...large } };
}

/** All in the file, off the active path too. A line that is there twice is one compaction. */
function countCompactions(transcript: Transcript): number {
  let count = 0;
  for (let i = 0; i < transcript.length; i++) {
    if (transcript.kindOf(i) === 'compaction' && !transcript.has(i, FLAG.duplicate)) count++;
  }
  return count;
}

function withScheduled(info: SessionInfo, path: string): SessionInfo {
  const scheduled = reportScheduled(readScheduledEdit(path));
  return scheduled === undefined ? info : { ...info, lastScheduledEdit: scheduled };
}

/** Undefined for a session that cannot be rewritten: nothing is kept of it. */
function findTranscriptPath(session: FoundSession): string | undefined {
  try {
    return storageOf(session).transcriptPathOf(session);
  } catch (error) {
    if (error instanceof OpenBotError) return undefined;
    throw error;
  }
}

/** Without what only concerns the processes that took part. A record that is not one of ours says nothing. */
function reportScheduled(scheduled: ScheduledEdit | undefined): ScheduledEditReport | undefined {
  if (scheduled === undefined || !STATES.has(scheduled.state)) return undefined;
  const { state, requestedAt, finishedAt, figures, result, error } = scheduled;
  return {
    state,
    requestedAt,
    finishedAt,
    corrects: figures && 'figures',
    result: result as EditResult | FiguresResult | undefined,
    error,
  };
}

const STATES: ReadonlySet<unknown> = new Set<ScheduledEdit['state']>(['waiting', 'done', 'failed']);

type Counts = Pick<SessionInfo, 'messages' | 'turns' | 'toolCalls'>;

/** Counts what is on a path. The lines of one message (Claude Code writes one for each block) count once. */
function countConversation(transcript: Transcript, path: readonly number[]): Counts {
  const messages = { total: 0, user: 0, assistant: 0, toolResult: 0, other: 0 };
  const byTool = new Map<string, number>();
  const seen = new Set<number>();
  let calls = 0;
  for (const index of path) {
    if (transcript.kindOf(index) !== 'message') continue;
    for (const { name } of transcript.callsOf(index)) {
      calls++;
      byTool.set(name, (byTool.get(name) ?? 0) + 1);
    }
    const message = transcript.messageOf(index);
    if (message >= 0 && seen.has(message)) continue;
    seen.add(message);
    messages.total++;
    const role = transcript.roleOf(index);
    messages[role === 'user' || role === 'assistant' || role === 'toolResult' ? role : 'other']++;
  }
  const turns = turnsOf(transcript, path);
  return {
    messages,
    turns: { total: turns.length, withTools: turns.filter(hasTools).length },
    toolCalls: { total: calls, byTool: orderByFigure(byTool) },
  };
}

/** Largest first, equal ones by name, so that the same session always prints the same. */
function orderByFigure(figures: Iterable<readonly [string, number]>): Record<string, number> {
  return Object.fromEntries([...figures].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}
