/** A conversation of three turns with tools, and what a model hears of it: whole, and cleaned. */

import { call, exec, read, say } from '../script.ts';
import type { Conversation } from '../stage.ts';

/** Results of `small` files have 7 KB, those of `large` ones 30 KB. */
export async function tellThreeTurns(
  tell: Conversation['tell'],
  file: 'small' | 'large' = 'small',
): Promise<void> {
  await tell('first question', call(read(`${file}1.txt`)), say('first answer'));
  await tell('second question', call(read(`${file}2.txt`), exec('echo side by side')), say('second answer'));
  await tell('third question', call(read(`${file}3.txt`)), say('third answer'));
}

const first = (...tools: string[]) => ['person: first question', ...tools, 'agent: first answer'];
const second = (...tools: string[]) => ['person: second question', ...tools, 'agent: second answer'];
const third = (...tools: string[]) => ['person: third question', ...tools, 'agent: third answer'];

const toolsOf = (name: string) => ({
  first: ['call: read', `result: ${name}-1`],
  second: ['call: read', 'call: exec', `result: ${name}-2`, 'result: side by side'],
  third: ['call: read', `result: ${name}-3`],
});
const small = toolsOf('SMALL');
const large = toolsOf('LARGE');

export const WHOLE = [...first(...small.first), ...second(...small.second), ...third(...small.third)];
export const WITHOUT_TOOLS = [...first(), ...second(), ...third()];
/** Cleaned so that the newest turn keeps its tools. */
export const LAST_TOOLS = [...first(), ...second(), ...third(...small.third)];
export const LARGE_WHOLE = [...first(...large.first), ...second(...large.second), ...third(...large.third)];
