import { isJsonObject } from '../entry/json-object.ts';
import { isMachineText } from './formats/machine-text.ts';
import { redactSecrets } from './redact/redact.ts';
import { wordsBehindSystemPart } from './system-part.ts';

export interface SpokenText {
  role: 'user' | 'assistant';
  text: string;
}

/**
 * The text that a user or the assistant said in one parsed line, in any dialect: messages of OpenClaw and pi, flat
 * lines, lines of Claude Code. Undefined for everything else: tools, settings, meta lines, summaries, errors.
 */
export function extractSpokenText(line: unknown): SpokenText | undefined {
  if (!isJsonObject(line)) return undefined;
  if (line.isMeta === true || line.isCompactSummary === true || line.isApiErrorMessage === true)
    return undefined;
  const message = isJsonObject(line.message) ? line.message : line;
  const role = message.role ?? line.type;
  if (role !== 'user' && role !== 'assistant') return undefined;
  if (!isSpokenType(line.type)) return undefined;
  // Block by block, as turns are counted: Claude Code puts notes of its own beside what a person typed.
  const texts = textsOf(message.content).flatMap((text) => {
    if (role === 'assistant') return [text];
    return isMachineText(text) ? [] : wordsBehindSystemPart(text);
  });
  const text = texts.join('\n');
  return text.trim() === '' ? undefined : { role, text };
}

function isSpokenType(type: unknown): boolean {
  return type === undefined || type === 'message' || type === 'user' || type === 'assistant';
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return Array.isArray(content) ? content.map(textOfBlock).filter((text) => text !== '') : [];
}

function textOfBlock(block: unknown): string {
  if (typeof block === 'string') return block;
  return isJsonObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : '';
}

/** One line of the index: `User: …` or `Assistant: …`, secrets redacted, white space as single spaces. */
export function formatSpokenText({ role, text }: SpokenText): string {
  const clean = redactSecrets(text).replace(/\s+/g, ' ').trim();
  return `${role === 'user' ? 'User' : 'Assistant'}: ${clean}`;
}

/** The whole conversation as it goes into an index, one line per message. */
export function extractSessionText(lines: Iterable<unknown>): string {
  const out: string[] = [];
  for (const line of lines) {
    const spoken = extractSpokenText(line);
    if (spoken !== undefined) out.push(formatSpokenText(spoken));
  }
  return out.join('\n');
}
