import { type TranscriptMessage, textsOf } from '@openbot/sessions/transcript';
import { HELD, type TurnTrace } from '../../transcripts/contract.ts';

export interface OpenCall {
  readonly id: string;
  readonly name: string;
}

/** How far a turn came before its process ended. */
export type TraceVerdict =
  /** The model never got the message. */
  | { readonly at: 'start' }
  /** The model got it and did not finish, also because the process was told to end. `openCalls` have no result. */
  | {
      readonly at: 'cut-off';
      readonly attempt: number;
      readonly openCalls: readonly OpenCall[];
      /** No model could be reached. */
      readonly isHeld: boolean;
    }
  /** The run ended; only its replies may be missing. */
  | {
      readonly at: 'end';
      readonly attempt: number;
      readonly reason: 'stop' | 'error' | 'aborted';
      /** Of `aborted`. */
      readonly cause?: string;
      readonly error?: string;
      /** What the model said, a text per message. */
      readonly texts: readonly string[];
      readonly thinking: readonly string[];
      /** The last message of the model. */
      readonly last?: TranscriptMessage;
    };

/**
 * Decided by the transcript alone: it is written before anything that follows from it. Messages of our own
 * (`delivery-mirror`) say nothing of the run.
 */
export function judgeTrace(trace: TurnTrace | undefined): TraceVerdict {
  if (trace === undefined) return { at: 'start' };
  const { attempt } = trace.mark;
  const messages = trace.messages.filter((message) => message.model !== 'delivery-mirror');
  const assistant = messages.filter(({ role }) => role === 'assistant');
  const last = assistant.at(-1);
  const openCalls = listOpenCalls(messages);
  const said = { texts: assistant.map(textOf).filter(Boolean), thinking: assistant.flatMap(thinkingOf) };
  const isHeld = trace.abortedBy === HELD;
  const isBlameless = isHeld || trace.abortedBy === 'shutdown';
  if (trace.abortedBy !== undefined && !isBlameless) {
    return { at: 'end', attempt, reason: 'aborted', cause: trace.abortedBy, last, ...said };
  }
  switch (last?.stopReason) {
    case 'error': {
      if (isHeld) break;
      const error = typeof last.errorMessage === 'string' ? last.errorMessage : undefined;
      return { at: 'end', attempt, reason: 'error', error, last, ...said };
    }
    default:
      // A message of the person that was added to the run follows the answer: it has none yet.
      if (last === undefined || messages.at(-1) !== last || callsOf(last).length > 0) break;
      if (last.stopReason === 'aborted') break;
      return { at: 'end', attempt, reason: 'stop', last, ...said };
  }
  // Where the run did not end the process, it does not count.
  return { at: 'cut-off', attempt: isBlameless ? attempt - 1 : attempt, openCalls, isHeld };
}

export function listOpenCalls(messages: readonly TranscriptMessage[]): OpenCall[] {
  const open = new Map<string, OpenCall>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of callsOf(message)) open.set(call.id, call);
    else if (message.role === 'toolResult') open.delete(String(message.toolCallId));
  }
  return [...open.values()];
}

function callsOf(message: TranscriptMessage): OpenCall[] {
  return blocksOf(message).flatMap(({ type, id, name }) =>
    type === 'toolCall' && typeof id === 'string' ? [{ id, name: String(name ?? '') }] : [],
  );
}

/** The text of a message without its thinking and calls. */
export function textOf(message: TranscriptMessage): string {
  return textsOf(message.content).join('');
}

function thinkingOf(message: TranscriptMessage): string[] {
  return blocksOf(message).flatMap(({ type, thinking }) =>
    type === 'thinking' && typeof thinking === 'string' && thinking !== '' ? [thinking] : [],
  );
}

function blocksOf({ content }: TranscriptMessage): Record<string, unknown>[] {
  if (!Array.isArray(content)) return [];
  return content.filter((block) => typeof block === 'object' && block !== null) as Record<string, unknown>[];
}
