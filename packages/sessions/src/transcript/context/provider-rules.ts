import type { Transcript } from '../transcript.ts';
import type { ModelMessage } from './model-messages.ts';

/** Something in a conversation that providers refuse. */
export interface Refusal {
  readonly rule: 'thinking comes first' | 'a call has its result' | 'a result has its call';
  /** The number of the message. */
  readonly message: number;
  /** The entry that the call or the result is in; of thinking, the first one of the message. */
  readonly entry: number;
  /** Of a call or a result: the id of the call. */
  readonly callId?: string;
}

/**
 * What providers refuse in a conversation: thinking in a message that begins with something else, a call that is not
 * answered in the very next message, and a result that answers no call of the message before it, or one that has its
 * result.
 * @param messages from `modelMessagesOf`
 */
export function findRefusals(transcript: Transcript, messages: readonly ModelMessage[]): Refusal[] {
  const refusals: Refusal[] = [];
  let asked: ReadonlyMap<number, readonly number[]> = NO_CALLS;
  for (const [number, message] of messages.entries()) {
    if (message.hasThinking && !message.beginsWithThinking) {
      refusals.push({ rule: 'thinking comes first', message: number, entry: message.entries[0]! });
    }
    let answered = NO_IDS;
    for (const entry of message.entries) {
      const first = transcript.firstResultOf(entry);
      for (let order = 0; order < transcript.resultCountOf(entry); order++) {
        const id = transcript.results.idAt(first + order);
        if (id >= 0 && asked.has(id) && !answered.has(id)) {
          if (answered === NO_IDS) answered = new Set();
          answered.add(id);
        } else {
          const { callId } = transcript.resultsOf(entry)[order]!;
          refusals.push({ rule: 'a result has its call', message: number, entry, callId });
        }
      }
    }
    for (const [id, entries] of asked) if (!answered.has(id)) addUnanswered(number - 1, entries, id);
    asked = callsIn(message);
  }
  for (const [id, entries] of asked) addUnanswered(messages.length - 1, entries, id);
  return refusals;

  function addUnanswered(message: number, entries: readonly number[], id: number): void {
    for (const entry of entries) {
      const { id: callId } = transcript.callsOf(entry)[orderOf(transcript, entry, id)]!;
      refusals.push({ rule: 'a call has its result', message, entry, callId });
    }
  }

  /** By the id of a call, as a number: the entries that have it, since ids come round again. */
  function callsIn({ entries }: ModelMessage): ReadonlyMap<number, readonly number[]> {
    if (!entries.some((entry) => transcript.callCountOf(entry) > 0)) return NO_CALLS;
    const calls = new Map<number, number[]>();
    for (const entry of entries) {
      const first = transcript.firstCallOf(entry);
      for (let row = first; row < first + transcript.callCountOf(entry); row++) {
        const id = transcript.calls.idAt(row);
        const known = calls.get(id);
        if (known === undefined) calls.set(id, [entry]);
        else if (known.at(-1) !== entry) known.push(entry);
      }
    }
    return calls;
  }
}

/** Most messages have neither calls nor results, and a transcript may have hundreds of thousands of messages. */
const NO_CALLS: ReadonlyMap<number, readonly number[]> = new Map();
const NO_IDS = new Set<number>();

function orderOf(transcript: Transcript, entry: number, id: number): number {
  const first = transcript.firstCallOf(entry);
  let order = 0;
  while (transcript.calls.idAt(first + order) !== id) order++;
  return order;
}
