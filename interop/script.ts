/** The script of a turn: lines that stand in the person's message and say what the model answers, one step each. */
import type { ChatAnswer, ChatCall } from '../test/imitations/chat-format.ts';

export interface Step {
  readonly answer: ChatAnswer;
  /** Whether the provider refuses what it is shown of its earlier thinking; a request without any is answered. */
  readonly refusesThinking?: boolean;
  /** The provider refuses the request with these words. */
  readonly failure?: string;
  /** The answer waits until this name is released. */
  readonly hold?: string;
}

/** Ends the run with these words. */
export const say = (words: string): string => `SAY ${words}`;
/** The provider refuses the request. */
export const fail = (words: string): string => `FAIL ${words}`;
/** Calls tools, side by side. */
export const call = (...calls: readonly ChatCall[]): string => `TOOLS ${JSON.stringify(calls)}`;
/** Words that the model says with the calls that follow. */
export const note = (words: string): string => `NOTE ${words}`;
export const read = (path: string): ChatCall => ({ name: 'read', arguments: { path } });
export const exec = (command: string): ChatCall => ({ name: 'exec', arguments: { command } });
/** The tokens that each answer after this line reports for its request. */
export const usage = (tokens: number): string => `USAGE ${tokens}`;
/** Before the next answer the provider refuses a request that shows it earlier thinking. */
export const refuseThinking = (): string => 'REFUSE thinking';
/** The next answer waits. */
export const hold = (name: string): string => `HOLD ${name}`;

export function readScript(message: string): Step[] {
  const steps: Step[] = [];
  let promptTokens: number | undefined;
  let waits: string | undefined;
  let text: string | undefined;
  let refusesThinking = false;
  for (const line of message.split('\n')) {
    const [, word, rest = ''] = /^(TOOLS|NOTE|SAY|FAIL|USAGE|HOLD|REFUSE) (.*)$/.exec(line) ?? [];
    if (word === 'USAGE') promptTokens = Number(rest);
    if (word === 'HOLD') waits = rest;
    if (word === 'NOTE') text = rest;
    if (word === 'REFUSE') refusesThinking = true;
    if (word === 'FAIL') steps.push({ answer: {}, failure: rest });
    if (word !== 'SAY' && word !== 'TOOLS') continue;
    const answer =
      word === 'SAY'
        ? { text: rest }
        : { ...(text !== undefined && { text }), calls: JSON.parse(rest) as ChatCall[] };
    steps.push({
      answer: { ...answer, ...(promptTokens !== undefined && { promptTokens }) },
      ...(waits !== undefined && { hold: waits }),
      ...(refusesThinking && { refusesThinking }),
    });
    waits = undefined;
    text = undefined;
    refusesThinking = false;
  }
  return steps;
}
