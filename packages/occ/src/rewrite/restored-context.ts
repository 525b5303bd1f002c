import { activePath, contextTokens, type Transcript } from '@openbot/sessions';
import {
  contextOf,
  findRefusals,
  modelMessagesOf,
  type Refusal,
  type TokenBasis,
} from '@openbot/sessions/transcript';
import { type ExpectedPath, listPath } from './expected-path.ts';

/** What the model will be given of a restored session. */
export interface RestoredContext {
  /** As a provider sees them: neighbours of one role are one message. */
  readonly messages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly tokens: number;
  readonly basis: TokenBasis;
  /** Tool calls that the model was given when the backup was made and will not be: they are off the conversation's path. */
  readonly toolCallsLeft: number;
  /** Whether the model is given all that came back. */
  readonly complete: boolean;
}

/** @param missed from `findMissedContext` */
export function describeContext(
  after: Transcript,
  then: Transcript,
  missed: string | undefined,
): RestoredContext {
  const context = contextOf(after, activePath(after).entries);
  const { tokens, basis } = contextTokens(after, context);
  const toolCallsLeft = countCallsLeft(after, then);
  let toolCalls = 0;
  let toolResults = 0;
  for (const index of context.entries) {
    toolCalls += after.callCountOf(index);
    toolResults += after.resultCountOf(index);
  }
  const messages = modelMessagesOf(after, context).length;
  const complete = toolCallsLeft === 0 && missed === undefined;
  return { messages, toolCalls, toolResults, tokens, basis, toolCallsLeft, complete };
}

function countCallsLeft(after: Transcript, then: Transcript): number {
  const given = listCalls(after);
  const onPath = new Set(listPath(after).map(({ id }) => id));
  return [...listCalls(then)].filter(([call, id]) => !given.has(call) && !onPath.has(id)).length;
}

/** The calls that the model is given, with the entries that they are in. */
function listCalls(transcript: Transcript): Map<string, string> {
  const calls = new Map<string, string>();
  for (const index of contextOf(transcript, activePath(transcript).entries).entries) {
    const id = transcript.idOf(index);
    if (id === undefined) continue;
    for (const call of transcript.callsOf(index)) calls.set(JSON.stringify([id, call.id]), id);
  }
  return calls;
}

/**
 * Why the model would not be given what it was given when the backup was made, followed by what was said since, in a form
 * that providers take; undefined where it would.
 */
export function findMissedContext(
  after: Transcript,
  then: Transcript,
  now: Transcript,
  { restored, said, isUnclear }: ExpectedPath,
): string | undefined {
  if (isUnclear) return UNCLEAR;
  const path = listPath(after).map(({ id }) => id);
  const wanted = [...restored, ...said];
  const isWanted = new Set(wanted);
  const others = path.filter((id) => !isWanted.has(id));
  const isSame = path.length - others.length === wanted.length && isInOrder(path, wanted);
  if (!isSame || others.some((id) => now.indexOf(id) !== undefined && !isDoubled(after, id))) {
    return `the conversation would take another path, without ${countCallsLeft(after, then)} of the restored tool calls`;
  }
  const given = new Set(listContext(after));
  const givenThen = new Set(listContext(then));
  const isExpected = (id: string) =>
    isWanted.has(id) && (then.indexOf(id) === undefined || givenThen.has(id));
  const lost = listContext(now).filter((id) => isExpected(id) && !given.has(id));
  if (lost.length > 0) return 'the model would no longer read a part of what it reads now';
  const known = new Set([...listRefusals(then), ...listRefusals(now)].flatMap(({ names }) => names));
  const refusal = listRefusals(after).find(({ names }) => !names.some((name) => known.has(name)));
  return refusal && FAULTS[refusal.rule];
}

const UNCLEAR =
  'it is not certain what was said since: messages of the backup were repeated, and not all of them in their order';

const FAULTS: Readonly<Record<Refusal['rule'], string>> = {
  'a call has its result': 'a tool call would be without its result',
  'a result has its call': 'a result would be without its tool call',
  'thinking comes first': 'thinking would be where providers refuse it',
};

/** An id that two lines have does not tell which of them the session still has. */
function isDoubled(transcript: Transcript, id: string): boolean {
  let count = 0;
  for (let index = 0; index < transcript.length; index++) if (transcript.idOf(index) === id) count++;
  return count > 1;
}

function isInOrder(path: readonly string[], wanted: readonly string[]): boolean {
  const isWanted = new Set(wanted);
  return path.filter((id) => isWanted.has(id)).every((id, at) => id === wanted[at]);
}

function listContext(transcript: Transcript): string[] {
  return contextOf(transcript, activePath(transcript).entries).entries.flatMap(
    (index) => transcript.idOf(index) ?? [],
  );
}

/** What a provider would refuse, with names by which the same is known again in another state. */
function listRefusals(transcript: Transcript): { rule: Refusal['rule']; names: string[] }[] {
  const messages = modelMessagesOf(transcript, contextOf(transcript, activePath(transcript).entries));
  return findRefusals(transcript, messages).map(({ rule, entry, callId, message }) => {
    // Of thinking any entry of the message will do: what a clean took away may have been its first.
    const entries = callId === undefined ? messages[message]!.entries : [entry];
    return { rule, names: entries.map((index) => JSON.stringify([rule, transcript.idOf(index), callId])) };
  });
}
