import type { Answer } from '../permissions/contract.ts';

export interface ParsedAnswer {
  readonly answer: Answer;
  /** Of the question. Undefined in an answer that must be a reply to it. */
  readonly id?: string;
}

const WORDS: Readonly<Record<string, Answer>> = {
  yes: 'yes',
  allow: 'yes',
  no: 'no',
  deny: 'no',
  always: 'always',
};

const ANSWER = new RegExp(`^(${Object.keys(WORDS).join('|')})(?:\\s+#?([0-9a-f]{4,8}))?[.!]?$`, 'i');

/** Longer texts are no answers. */
const LONGEST = 40;

/** `yes 3f2a`, `deny 3f2a`, or the word alone. Undefined for everything else that people write. */
export function parseAnswer(text: string): ParsedAnswer | undefined {
  const written = text.length > LONGEST ? '' : text.trim();
  const [, word, id] = ANSWER.exec(written) ?? [];
  if (word === undefined) return undefined;
  return { answer: WORDS[word.toLowerCase()]!, id: id?.toLowerCase() };
}
