import { type EntryDraft, type TranscriptMessage, textsOf } from '@openbot/sessions/transcript';
import { OpenCalls } from '../../runners/open-calls.ts';
import { type ContextMessage, MEMORY_FLUSH_MARK } from '../../transcripts/contract.ts';

/** What earlier tries of a flush left in the transcript. */
export interface FlushTrace {
  readonly attempts: number;
  /** What the model wrote last, where it came to its end and only the entry does not say so. */
  readonly answer?: string;
  /** Results for calls of a try that was cut off. */
  readonly missingResults: readonly EntryDraft[];
}

/** The mark and the message that ask for the flush of one compaction cycle. */
export function composeFlush(
  prompt: string,
  of: { readonly compactionCount: number; readonly attempt: number; readonly now: number },
): EntryDraft[] {
  const { compactionCount, attempt, now } = of;
  return [
    { type: 'custom', customType: MEMORY_FLUSH_MARK, data: { compactionCount, attempt } },
    {
      type: 'message',
      message: { role: 'user', content: prompt, timestamp: now, idempotencyKey: keyOf(compactionCount) },
    },
  ];
}

/** Marks are no messages, so the message itself has a key. */
const keyOf = (compactionCount: number) => `${MEMORY_FLUSH_MARK}:${compactionCount}`;

export function traceFlush(
  context: readonly ContextMessage[],
  compactionCount: number,
  now: number,
): FlushTrace {
  const messages = context.map(({ message }) => message);
  const isOurs = ({ role, idempotencyKey }: TranscriptMessage) =>
    role === 'user' && idempotencyKey === keyOf(compactionCount);
  const attempts = messages.filter(isOurs).length;
  const after = messages.slice(messages.findLastIndex(isOurs) + 1);
  // A person's turn followed: that try is over, and what it left open was closed then.
  if (attempts === 0 || after.some(({ role }) => role === 'user')) return { attempts, missingResults: [] };
  const calls = new OpenCalls();
  calls.note(after.map((message) => ({ type: 'message', message })));
  const missingResults = calls.answerAll('OpenBot was stopped before this call had a result.', now);
  const answer = missingResults.length === 0 ? answerOf(after.at(-1)) : undefined;
  return { attempts, missingResults, ...(answer !== undefined && { answer }) };
}

/** Undefined for what is not the end of a run that succeeded. */
function answerOf(message: TranscriptMessage | undefined): string | undefined {
  if (message?.role !== 'assistant' || !Array.isArray(message.content)) return undefined;
  if (message.stopReason === 'error' || message.stopReason === 'aborted') return undefined;
  if (message.content.some((block) => block?.type === 'toolCall')) return undefined;
  return textsOf(message.content).join('');
}
