import { resultLength } from '../../../../../bench/generated-text.ts';
import {
  type ComposedEvent,
  type ComposeOptions,
  composeSession,
  type SessionComposer,
} from './compose-session.ts';

export interface TurnOptions {
  /** Rounds of calls in each turn; in every third round two tools are called at once. */
  readonly rounds?: number;
  /** Characters of one result; as real tools return where it is left out. */
  readonly resultLength?: number;
  readonly thinking?: boolean;
  readonly contextUsage?: boolean;
}

/** What OpenClaw writes before the first message. */
export function addOpening(session: SessionComposer): void {
  session.addModelChange();
  session.addThinkingLevel();
  session.addModelSnapshot();
}

/** One turn: a question, rounds of calls with results, an answer. The id of the question. */
export function addTurn(session: SessionComposer, number: number, options: TurnOptions = {}): string {
  const { rounds = 2, thinking = false, contextUsage = false } = options;
  const { makeText, random } = session;
  const user = session.addUser(`Question ${number}: ${makeText(40)}`);
  for (let round = 0; round < rounds; round++) {
    const read = { path: `src/file-${number}-${round}.ts` };
    const calls = round % 3 === 2 ? [read, { command: `npm test -- ${round}` }] : [read];
    const thought = thinking ? { thinking: `I look at file ${round}. ${makeText(80)}` } : {};
    session.addAssistant({ calls, contextUsage, ...thought });
    for (const _ of calls) session.addResult(makeText(options.resultLength ?? resultLength(random)));
    session.addCacheTtl();
  }
  session.addAssistant({ text: `Answer ${number}: ${makeText(80)}`, contextUsage });
  return user;
}

/**
 * A session of any length, one event after the other: as many turns as `turns` says, or until the events have at least
 * `bytes` bytes. Nothing is kept, so it may be as long as the disk is large.
 */
export function* generateEvents(
  options: ComposeOptions & TurnOptions & ({ readonly turns: number } | { readonly bytes: number }),
): Generator<ComposedEvent> {
  const waiting: ComposedEvent[] = [];
  let bytes = 0;
  const session = composeSession({ ...options, write: (event) => waiting.push(event) });
  addOpening(session);
  const isDone = (turn: number) => ('turns' in options ? turn >= options.turns : bytes >= options.bytes);
  for (let turn = 0; !isDone(turn); turn++) {
    addTurn(session, turn, options);
    for (const event of waiting.splice(0)) {
      if ('bytes' in options) bytes += Buffer.byteLength(JSON.stringify(event));
      yield event;
    }
  }
  yield* waiting;
}
