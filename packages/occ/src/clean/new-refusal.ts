import { activePath, type Transcript } from '@openbot/sessions';
import {
  contextOf,
  FLAG,
  findRefusals,
  hasBoundThinking,
  type ModelMessage,
  modelMessagesOf,
  type Refusal,
} from '@openbot/sessions/transcript';
import { thinksBeforeCuts } from './decisions/bound-thinking.ts';
import { NO_CALL, pairCalls } from './pair-calls.ts';

/**
 * What a provider would refuse in a rewritten transcript and did not before, in one sentence.
 * @param entryBefore by index of an entry that stayed: its index before
 */
export function findNewRefusal(
  before: Transcript,
  after: Transcript,
  entryBefore: (index: number) => number,
): string | undefined {
  const is = judge(after);
  const isBound = after.hasFlag(FLAG.thinking) && hasBoundThinking(after, is.path);
  if (is.refusals.length === 0 && !isBound) return undefined;
  const was = judge(before);
  if (isBound && thinksBehindChange(before, was, after, is, entryBefore))
    return 'thinking is left behind what it is not bound to';
  const known = new Set(was.refusals.map((refusal) => nameOf(refusal, refusal.entry)));
  const misplaced = new Set(
    was.refusals
      .filter(({ rule }) => rule === 'thinking comes first')
      .flatMap(({ message }) => was.messages[message]!.entries),
  );
  for (const refusal of is.refusals) {
    if (refusal.rule !== 'thinking comes first') {
      if (known.has(nameOf(refusal, entryBefore(refusal.entry))) || answersSilent(after, is, refusal))
        continue;
    } else if (is.messages[refusal.message]!.entries.some((entry) => misplaced.has(entryBefore(entry))))
      continue;
    return SENTENCES[refusal.rule];
  }
  return undefined;
}

const SENTENCES: Readonly<Record<Refusal['rule'], string>> = {
  'thinking comes first': "text comes before an assistant's thinking",
  'a call has its result': 'a call is not followed by its result',
  'a result has its call': 'a result does not follow its call',
};

interface Judged {
  readonly path: readonly number[];
  /** Entries that reach the model. */
  readonly sent: readonly number[];
  readonly edits: ReadonlyMap<number, number>;
  readonly messages: readonly ModelMessage[];
  readonly refusals: readonly Refusal[];
}

function judge(transcript: Transcript): Judged {
  const path = activePath(transcript).entries;
  const context = contextOf(transcript, path);
  const messages = modelMessagesOf(transcript, context);
  return {
    path,
    sent: context.entries,
    edits: context.edits,
    messages,
    refusals: findRefusals(transcript, messages),
  };
}

/** Whether thinking is left behind the first entry that the model reads otherwise than before. */
function thinksBehindChange(
  before: Transcript,
  was: Judged,
  after: Transcript,
  is: Judged,
  entryBefore: (index: number) => number,
): boolean {
  const [old, now] = [was, is].map(({ messages }) => messages.flatMap(({ entries }) => entries));
  const isSame = (entry: number, place: number) => {
    const other = old![place]!;
    return entryBefore(entry) === other && (is.edits.has(entry) || readsTheSame(before, other, after, entry));
  };
  const first = now!.findIndex((entry, place) => !isSame(entry, place));
  if (first < 0) return false;
  const staysFirst = entryBefore(now![first]!) === old![first] && thinksBeforeCuts(after, now![first]!);
  return now!
    .slice(staysFirst ? first + 1 : first)
    .some((entry) => after.has(entry, FLAG.thinking) && !is.edits.has(entry));
}

function readsTheSame(before: Transcript, was: number, after: Transcript, is: number): boolean {
  return (
    before.charactersOf(was) === after.charactersOf(is) &&
    before.thinkingCountOf(was) === after.thinkingCountOf(is) &&
    before.callCountOf(was) === after.callCountOf(is) &&
    before.resultCountOf(was) === after.resultCountOf(is)
  );
}

/** Whether a result answers a call of a failed message, which is not sent. Before, it could match another call. */
function answersSilent(
  transcript: Transcript,
  { path, sent }: Judged,
  { rule, entry, callId }: Refusal,
): boolean {
  if (rule !== 'a result has its call') return false;
  const { callOfResult, firstResultAt, positionOfCall } = pairCalls(transcript, path);
  const position = path.indexOf(entry);
  return transcript.resultsOf(entry).some((result, order) => {
    const call = callOfResult[firstResultAt[position]! + order]!;
    return result.callId === callId && call !== NO_CALL && !sent.includes(path[positionOfCall[call]!]!);
  });
}

function nameOf({ rule, callId }: Refusal, entry: number): string {
  return `${rule} ${entry} ${callId}`;
}
