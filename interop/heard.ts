/** What a model heard, as lines that a scenario can write down: who spoke, and the first line of what was said. */
import { type ChatMessage, type ChatRequest, textOf } from '../test/imitations/chat-format.ts';
import { isRuntimeContext, isSideRequest } from './scripted-model.ts';

/**
 * One line per message, in order:
 * `person: first question`, `agent: first answer`, `call: read`, `result: SMALL-1`, `summary` where a compaction
 * stands in for what was said.
 */
export function hear(request: ChatRequest): string[] {
  return request.messages.flatMap(hearMessage);
}

/** The name of the turn that a request belongs to: the first line of the person's last message. */
export function turnOf(request: ChatRequest): string | undefined {
  if (isSideRequest(request)) return undefined;
  const last = request.messages.findLast((message) => message.role === 'user' && !isRuntimeContext(message));
  return last === undefined ? undefined : firstLine(partsOf(last).at(-1) ?? '');
}

/** How much the conversation weighs, without the system prompt, which changes by itself. */
export function weigh(request: ChatRequest): number {
  return JSON.stringify(request.messages.filter((message) => message.role !== 'system')).length;
}

/** Texts of the tool results, in order. */
export function resultsIn(request: ChatRequest): string[] {
  return request.messages.filter((message) => message.role === 'tool').map(textOf);
}

function hearMessage(message: ChatMessage): string[] {
  if (message.role === 'tool') return [`result: ${firstLine(textOf(message))}`];
  if (message.role === 'assistant') {
    const said = partsOf(message)
      .filter((part) => part !== '')
      .map((part) => `agent: ${firstLine(part)}`);
    return [...said, ...(message.tool_calls ?? []).map((call) => `call: ${call.function.name}`)];
  }
  if (message.role !== 'user' || isRuntimeContext(message)) return [];
  return partsOf(message).map((part) =>
    part.startsWith(SUMMARY) ? 'summary' : `person: ${firstLine(part)}`,
  );
}

const SUMMARY = 'The conversation history before this point was compacted';

/** Messages of one speaker that follow each other come as parts of one. The line about the runtime is nobody's. */
function partsOf({ content }: ChatMessage): string[] {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map((part) => part.text ?? '');
  return parts.filter((part) => !part.startsWith('Runtime: '));
}

/** OpenClaw puts the time before a person's words. Of JSON the beginning is enough. */
function firstLine(text: string): string {
  const line = (text.split('\n')[0] ?? '').replace(/^\[[^\]]*UTC\] /, '').trim();
  return line.startsWith('{') ? '{…}' : line;
}
