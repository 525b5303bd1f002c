import { persistRunOutcome, type StoredSession } from '@openbot/sessions';
import type { EntryDraft, TranscriptMessage } from '@openbot/sessions/transcript';
import type { OutboundMessage } from '../../outbox/contract.ts';
import type { AbortCause, ModelChoice, RunEnd, RunUsage } from '../../runners/contract.ts';
import { findSession } from '../../session-address.ts';
import { isReply } from '../deliver.ts';
import { formatEventTime } from '../inbound/prepend-system-events.ts';
import type { Turn } from '../open-turn.ts';
import { type RunTally, tallyOf } from '../run-tally.ts';
import { judgeTrace, listOpenCalls, type OpenCall, type TraceVerdict, textOf } from './judge-trace.ts';

/** What an earlier run of this turn left behind. */
export type Left =
  | { readonly at: 'start' }
  /** `lines` answer the calls that were open, so that the conversation can go on. */
  | {
      readonly at: 'cut-off';
      /** How many runs were begun, without those that ended because their process was stopped. */
      readonly attempt: number;
      readonly session: StoredSession;
      readonly lines: readonly EntryDraft[];
      readonly prompt: string;
      /** No model could be reached; the process did not end. */
      readonly isHeld: boolean;
      /** The prompt is the last message of the conversation already. */
      readonly isAsked: boolean;
    }
  /** The replies are in the outbox; the inbox does not know it. */
  | {
      readonly at: 'told';
      readonly session: StoredSession;
      readonly lines: readonly EntryDraft[];
      readonly replies: readonly OutboundMessage[];
    }
  | {
      readonly at: 'end';
      readonly session: StoredSession;
      readonly tally: RunTally;
      readonly model: ModelChoice;
    };

export async function findWhatWasLeft(turn: Turn): Promise<Left> {
  const { tools, work, sessions } = turn;
  if (!work.recovering) return { at: 'start' };
  const session = await findSession(sessions, work.sessionKey);
  if (session === undefined) return { at: 'start' };
  const trace = await tools.transcripts.findTurn(turn.refOf(session.entry), work.turnId);
  const verdict = judgeTrace(trace);
  // Replies are put there all at once. Made again from the transcript, they could be others under the same keys.
  const replies = (await tools.outbox.ofTurn(work.turnId)).filter(isReply);
  if (verdict.at === 'start') {
    // The transcript has been damaged since.
    return replies.length > 0 ? { at: 'told', session, lines: [], replies } : verdict;
  }
  await joinAgain(turn, trace?.joined ?? []);
  const flushed = trace?.inFlush ?? [];
  const openCalls = verdict.at === 'cut-off' ? [...verdict.openCalls, ...listOpenCalls(flushed)] : [];
  const lines = openCalls.map((call) => answerOpenCall(call, turn.startedAt));
  if (replies.length > 0) return { at: 'told', session, lines, replies };
  if (verdict.at === 'cut-off') {
    const { attempt, isHeld } = verdict;
    const last = trace?.isLast ? trace.messages.at(-1) : undefined;
    const isAsked = isHeld && last?.role === 'user';
    const prompt = isAsked
      ? textOf(last)
      : describeCutOff(turn, openCalls.length, { isHeld, isFlushed: flushed.length > 0 });
    return { at: 'cut-off', attempt, session, lines, prompt, isHeld, isAsked };
  }
  const usage = readUsage(verdict.last);
  const tally = { ...tallyOf(verdict.texts, endOf(verdict)), ...(usage && { usage, totalUsage: usage }) };
  return { at: 'end', session, tally, model: readModel(verdict.last, turn) };
}

function endOf(verdict: Extract<TraceVerdict, { readonly at: 'end' }>): RunEnd {
  const { reason, cause, error = 'It gave no reason' } = verdict;
  if (reason === 'stop') return { type: 'end', reason };
  if (reason === 'aborted') return { type: 'end', reason, cause: cause as AbortCause };
  return { type: 'end', reason, error, isTransient: false };
}

/** Messages that the transcript has as part of this turn, and the inbox not yet. */
async function joinAgain({ tools, work }: Turn, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  const waiting = await tools.inbox.waiting(work);
  for (const { seq, state } of waiting) {
    if (state !== 'running' && seqs.includes(seq)) await work.joined(seq);
  }
}

function answerOpenCall({ id, name }: OpenCall, timestamp: number): EntryDraft {
  const text = 'The process ended before this call had a result. It may or may not have taken effect.';
  const content = [{ type: 'text', text }];
  return {
    type: 'message',
    message: { role: 'toolResult', toolCallId: id, toolName: name, content, isError: true, timestamp },
  };
}

function describeCutOff(
  { startedAt, agent }: Turn,
  openCalls: number,
  { isHeld, isFlushed }: { readonly isHeld: boolean; readonly isFlushed: boolean },
): string {
  const calls = openCalls === 0 ? '' : ' Check what its last calls have done before you repeat them.';
  const time = formatEventTime(startedAt, agent.userTimezone);
  const why = isHeld ? 'no model could be reached' : 'its process ended';
  return `System: [${time}] Your run was cut off because ${why}. Answer the last message${isFlushed ? ' before the memory flush' : ''}; what is done already is above.${calls}`;
}

function readModel(last: TranscriptMessage | undefined, { models }: Turn): ModelChoice {
  const { provider, model } = last ?? ({} as Partial<TranscriptMessage>);
  return typeof provider === 'string' && typeof model === 'string'
    ? { provider, model }
    : { provider: models.defaultProvider, model: models.defaultModel };
}

/** Of the last request: how full the context is. */
function readUsage(last: TranscriptMessage | undefined): RunUsage | undefined {
  const usage = last?.usage;
  if (typeof usage !== 'object' || usage === null) return undefined;
  const figures = usage as Record<string, unknown>;
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'].filter(
    (part) => typeof figures[part] === 'number',
  );
  return parts.length === 0 ? undefined : Object.fromEntries(parts.map((part) => [part, figures[part]]));
}

/** The agent is told by the message that continues the run. Where none does, the next run reads it from the entry. */
export async function noteCrash(
  { tools, sessions }: Turn,
  { key: sessionKey, entry: { sessionId, abortedBy } }: StoredSession,
): Promise<void> {
  if (abortedBy === 'shutdown') return;
  await persistRunOutcome({ ...sessions, sessionKey, sessionId, abortedBy: 'crash', now: tools.now });
}
