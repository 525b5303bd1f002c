import {
  persistRunOutcome,
  type RunOutcome,
  type SessionEntry,
  type SessionStore,
  type StoredEntry,
  shouldRunMemoryFlush,
} from '@openbot/sessions';
import {
  type MemoryFlushConfig,
  type MemoryFlushSettings,
  resolveMemoryFlushSettings,
} from '@openbot/sessions/policy';
import type { EntryDraft } from '@openbot/sessions/transcript';
import { reserveOf, softThresholdOf } from '../../config/compaction-reserve.ts';
import type { RunEnd, RunRequest } from '../../runners/contract.ts';
import { formatAgentDate } from '../agent-time.ts';
import { formatSystemPart } from '../inbound/prepend-system-events.ts';
import { stripSilentToken } from '../reply/tokens.ts';
import { composeFlush, type FlushTrace, traceFlush } from './flush-trace.ts';

export const DEFAULT_MEMORY_FLUSH_PROMPT =
  'Pre-compaction memory flush. Store durable memories now (use memory/YYYY-MM-DD.md; create memory/ if needed). If nothing to store, reply with NO_REPLY.';

export const DEFAULT_MEMORY_FLUSH_SYSTEM_PROMPT =
  'Pre-compaction memory flush turn. The session is near auto-compaction; capture durable memories to disk. You may reply, but usually NO_REPLY is correct.';

export interface MemoryFlushRequest {
  readonly entry: StoredEntry;
  readonly sessionKey: string;
  /** Where the entry is kept. */
  readonly sessions: {
    readonly storePath: string;
    readonly store?: SessionStore;
    readonly agentId?: string;
    readonly mainKey?: string;
  };
  readonly config: MemoryFlushConfig;
  /** Tokens. The size of the conversation gives no reason for a flush where it is unknown. */
  readonly contextWindow?: number;
  /** With more tokens than this the runner compacts. The window without the reserve when absent. */
  readonly compactsAt?: number;
  /** The runner would compact now, whatever the figures of the entry say. */
  readonly isDue?: boolean;
  readonly isGroup: boolean;
  /** The agent cannot write to its workspace. */
  readonly isReadOnly: boolean;
  /** IANA name. */
  readonly timeZone?: string;
  now(): number;
  readonly append: RunRequest['append'];
  readonly readContext: RunRequest['readContext'];
  /** Runs the agent; `prompt` is already the last message of the transcript. No line of it is a person's. */
  run(request: {
    readonly prompt: string;
    /** Asks again, behind what a model that failed has left. */
    readonly lines: readonly EntryDraft[];
  }): Promise<FlushRun>;
}

/** What is read of a run. */
export interface FlushRun {
  /** A text per message of the model. */
  readonly texts: readonly string[];
  readonly outcome: Pick<RunOutcome, 'usage' | 'compactions' | 'droppedThinking'>;
  readonly end: RunEnd;
}

export type MemoryFlushResult =
  | { readonly flush: 'not-due'; readonly entry: StoredEntry }
  | {
      readonly flush: 'done';
      readonly entry: StoredEntry;
      /** What the agent said beside NO_REPLY. */
      readonly reply?: string;
    }
  /** The turn goes on without it. */
  | { readonly flush: 'failed'; readonly entry: StoredEntry; readonly error: string };

/** Tries for one compaction cycle. A model that fails here every time must not slow down every turn. */
const MAX_ATTEMPTS = 2;

/** Null where no flush is made at all. */
export function settingsOfFlush(
  of: Pick<MemoryFlushRequest, 'config' | 'isGroup' | 'isReadOnly'>,
): MemoryFlushSettings | null {
  const settings = resolveMemoryFlushSettings(of.config);
  if (settings === null || (of.isGroup && !settings.inGroups)) return null;
  return of.isReadOnly && !settings.inReadOnly ? null : settings;
}

/**
 * Has the agent write down what matters before old messages give way to a summary: once for each compaction cycle, when
 * the context is nearly full. Never rejects.
 */
export async function runMemoryFlushIfNeeded(request: MemoryFlushRequest): Promise<MemoryFlushResult> {
  const { entry } = request;
  const settings = settingsOfFlush(request);
  if (settings === null || !(request.isDue || isNear(request))) return { flush: 'not-due', entry };
  const date = formatAgentDate(request.now(), request.timeZone);
  const wanted = (settings.prompt ?? DEFAULT_MEMORY_FLUSH_PROMPT).replaceAll('YYYY-MM-DD', date);
  const situation = settings.systemPrompt ?? DEFAULT_MEMORY_FLUSH_SYSTEM_PROMPT;
  try {
    // In the message and not in the system prompt: a change of that would cost the thinking so far.
    return await flush(request, `${situation}\n${wanted}`);
  } catch (error) {
    return { flush: 'failed', entry, error: error instanceof Error ? error.message : String(error) };
  }
}

function isNear({ entry, config, contextWindow: window, compactsAt: known }: MemoryFlushRequest): boolean {
  if (window === undefined) return false;
  const { reserveTokensFloor, memoryFlush } = config.agents?.defaults?.compaction ?? {};
  const compactsAt = known ?? window - reserveOf(window, reserveTokensFloor);
  return shouldRunMemoryFlush({
    entry,
    contextWindowTokens: window,
    reserveTokensFloor: window - compactsAt,
    softThresholdTokens: softThresholdOf(compactsAt, memoryFlush?.softThresholdTokens),
  });
}

async function flush(request: MemoryFlushRequest, instruction: string): Promise<MemoryFlushResult> {
  const compactionCount = request.entry.compactionCount ?? 0;
  const trace = traceFlush(await request.readContext(), compactionCount, request.now());
  const mark = () => ({ memoryFlush: { at: request.now(), compactionCount } });
  if (trace.answer !== undefined) return done(await persist(request, mark()), trace.answer);
  if (trace.attempts >= MAX_ATTEMPTS) return giveUp(request, trace, mark());

  const attempt = trace.attempts + 1;
  const now = request.now();
  const prompt = formatSystemPart({ text: instruction, at: now }, request.timeZone);
  const lines = composeFlush(prompt, { compactionCount, attempt, now });
  await request.append([...trace.missingResults, ...lines]);
  const { texts, outcome, end } = await request.run({ prompt, lines });
  const isDone = end.reason === 'stop';
  const entry = await persist(request, {
    ...outcome,
    ...((isDone || attempt >= MAX_ATTEMPTS) && mark()),
  });
  if (isDone) return done(entry, texts.at(-1) ?? '');
  return { flush: 'failed', entry, error: end.reason === 'aborted' ? 'It was aborted' : end.error };
}

function done(entry: StoredEntry, text: string): MemoryFlushResult {
  const reply = stripSilentToken(text).trim();
  return { flush: 'done', entry, ...(reply !== '' && { reply }) };
}

/** Nothing is asked again in this cycle, and no call is left without a result. */
async function giveUp(
  request: MemoryFlushRequest,
  { missingResults }: FlushTrace,
  mark: RunOutcome,
): Promise<MemoryFlushResult> {
  if (missingResults.length > 0) await request.append(missingResults);
  const entry = await persist(request, mark);
  return { flush: 'failed', entry, error: `It was cut off ${MAX_ATTEMPTS} times` };
}

async function persist(request: MemoryFlushRequest, outcome: RunOutcome): Promise<SessionEntry> {
  const { sessions, sessionKey, now, entry } = request;
  const { sessionId } = entry;
  const written = await persistRunOutcome({ ...sessions, ...outcome, sessionKey, sessionId, now });
  return written ?? entry;
}
