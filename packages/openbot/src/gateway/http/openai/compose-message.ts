/** The message for the agent, from the conversation that a program sends. */
import { apiFault } from './api-call.ts';

export interface Line {
  readonly role: string;
  readonly text: string;
}

const PEOPLE = new Set(['user', 'tool', 'function']);
const INSTRUCTIONS = new Set(['system', 'developer']);

/**
 * A session that is kept has what was said before, so that only what follows the last answer is new. A new session is
 * told the whole conversation.
 */
export function composeMessage(lines: readonly Line[], { isKept }: { readonly isKept: boolean }): string {
  const instructions = lines.filter(({ role }) => INSTRUCTIONS.has(role)).map(({ text }) => text);
  const spoken = lines.filter(({ role, text }) => !INSTRUCTIONS.has(role) && text !== '');
  const lastAnswer = spoken.findLastIndex(({ role }) => role === 'assistant');
  const news = spoken.slice(lastAnswer + 1).filter(({ role }) => PEOPLE.has(role));
  if (news.length === 0) throw apiFault(400, 'Missing user message in the conversation');
  const before = isKept ? [] : spoken.slice(0, lastAnswer + 1);
  return [
    ...instructions,
    ...(before.length === 0
      ? []
      : ['The conversation up to now:', ...before.map(({ role, text }) => `${role}: ${text}`)]),
    ...news.map(({ text }) => text),
  ].join('\n\n');
}

/** `messages` of chat completions, `input` of responses. */
export function readLines(given: unknown, name: string): Line[] {
  if (typeof given === 'string') return [{ role: 'user', text: given }];
  if (!Array.isArray(given)) throw apiFault(400, `\`${name}\` must be an array`);
  return given.map((one: unknown, at) => {
    const { role, content, type, output } = (one ?? {}) as Readonly<Record<string, unknown>>;
    if (type === 'function_call_output') return { role: 'tool', text: String(output ?? '') };
    if (typeof role !== 'string') throw apiFault(400, `\`${name}[${at}].role\` must be a string`);
    return { role, text: readContent(content, `${name}[${at}].content`) };
  });
}

function readContent(content: unknown, place: string): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) throw apiFault(400, `\`${place}\` must be a string or an array`);
  const texts = content.map((part: unknown) => {
    const { text } = (part ?? {}) as { text?: unknown };
    if (typeof text !== 'string')
      throw apiFault(400, `\`${place}\` has a part that is no text; only text is read`);
    return text;
  });
  return texts.join('\n');
}
