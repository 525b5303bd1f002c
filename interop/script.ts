/** The script of a turn: lines that stand in the person's message and say what the model answers, one step each. */
import type { ChatAnswer, ChatCall } from '../test/imitations/chat-format.ts';

export interface Step {
  readonly answer: ChatAnswer;
  /** The answer waits until this name is released. */
  readonly hold?: string;
}

/** Ends the run with these words. */
export const say = (words: string): string => `SAY ${words}`;
/** Calls tools, side by side. */
export const call = (...calls: readonly ChatCall[]): string => `TOOLS ${JSON.stringify(calls)}`;
export const read = (path: string): ChatCall => ({ name: 'read', arguments: { path } });
export const exec = (command: string): ChatCall => ({ name: 'exec', arguments: { command } });
/** The tokens that each answer after this line reports for its request. */
export const usage = (tokens: number): string => `USAGE ${tokens}`;
/** The next answer waits. */
export const hold = (name: string): string => `HOLD ${name}`;

export function readScript(message: string): Step[] {
  const steps: Step[] = [];
  let promptTokens: number | undefined;
  let waits: string | undefined;
  for (const line of message.split('\n')) {
    const [, word, rest = ''] = /^(TOOLS|SAY|USAGE|HOLD) (.*)$/.exec(line) ?? [];
    if (word === 'USAGE') promptTokens = Number(rest);
    if (word === 'HOLD') waits = rest;
    if (word !== 'SAY' && word !== 'TOOLS') continue;
    const answer = word === 'SAY' ? { text: rest } : { calls: JSON.parse(rest) as ChatCall[] };
    steps.push({
      answer: { ...answer, ...(promptTokens !== undefined && { promptTokens }) },
      ...(waits !== undefined && { hold: waits }),
    });
    waits = undefined;
  }
  return steps;
}
