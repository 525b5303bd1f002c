/** The message for the agent, from the conversation that a program sends. */
import { apiFault } from './api-call.ts';
import { type Content, readContent } from './read-content.ts';

export interface Line extends Partial<Content> {
  readonly role: string;
  readonly text: string;
}

const PEOPLE = new Set(['user', 'tool', 'function']);
const INSTRUCTIONS = new Set(['system', 'developer']);

/**
 * A session that is kept has what was said before, so that only what follows the last answer is new. A new session is
 * told the whole conversation.
 */
export function composeMessage(lines: readonly Line[], { isKept }: { readonly isKept: boolean }): Content {
  const instructions = lines.filter(({ role }) => INSTRUCTIONS.has(role)).map(({ text }) => text);
  const spoken = lines.filter(
    ({ role, text, attachments = [] }) => !INSTRUCTIONS.has(role) && (text !== '' || attachments.length > 0),
  );
  const lastAnswer = spoken.findLastIndex(({ role }) => role === 'assistant');
  const news = spoken.slice(lastAnswer + 1).filter(({ role }) => PEOPLE.has(role));
  if (news.length === 0) throw apiFault(400, 'Missing user message in the conversation');
  const before = isKept ? [] : spoken.slice(0, lastAnswer + 1);
  const text = [
    ...instructions,
    ...(before.length === 0
      ? []
      : ['The conversation up to now:', ...before.map((line) => `${line.role}: ${line.text}`)]),
    ...news.flatMap((line) => (line.text === '' ? [] : [line.text])),
  ].join('\n\n');
  return { text, attachments: [...before, ...news].flatMap(({ attachments = [] }) => attachments) };
}

/** `messages` of chat completions, `input` of responses. */
export function readLines(given: unknown, name: string): Line[] {
  if (typeof given === 'string') return [{ role: 'user', text: given }];
  if (!Array.isArray(given)) throw apiFault(400, `\`${name}\` must be an array`);
  return given.map((one: unknown, at) => {
    const { role, content, type, output } = (one ?? {}) as Readonly<Record<string, unknown>>;
    if (type === 'function_call_output') return { role: 'tool', text: String(output ?? '') };
    if (typeof role !== 'string') throw apiFault(400, `\`${name}[${at}].role\` must be a string`);
    return { role, ...readContent(content, `${name}[${at}].content`) };
  });
}
