import { splitSystemPart, type TranscriptMessage } from '@openbot/sessions/transcript';

/** Tokens of a conversation that are handed over at most, and the part of the window. */
const MOST_TOKENS = 100_000;
const SHARE_OF_WINDOW = 0.5;
const CHARACTERS_PER_TOKEN = 4;
const LONGEST_RESULT = 4000;
const LONGEST_ARGUMENTS = 1000;

const TAG = 'earlier-conversation';

const INTRODUCTIONS = {
  whole: 'This conversation began before this session of yours. So far it went like this:',
  since: 'Since your last answer the conversation went on without you, like this:',
} as const;

/**
 * A prompt that tells a session of Claude Code first what it has not read.
 * @param what `whole` for a new session, `since` for one that knows what came before
 */
export function handOver(
  messages: readonly TranscriptMessage[],
  prompt: string,
  { what, contextWindow = 200_000 }: { what: keyof typeof INTRODUCTIONS; contextWindow?: number },
): string {
  const told = tell(messages, Math.min(MOST_TOKENS, contextWindow * SHARE_OF_WINDOW) * CHARACTERS_PER_TOKEN);
  if (told === '') return prompt;
  return `<${TAG}>
${INTRODUCTIONS[what]}

${told.replaceAll(`</${TAG}`, `<\\/${TAG}`)}
</${TAG}>

The above is for you to know, not to answer. The message to answer is:

${prompt}`;
}

/** The last messages that fit, and always the summary of what was said before them. */
function tell(messages: readonly TranscriptMessage[], limit: number): string {
  const told = messages.map(tellMessage);
  const first = messages[0]?.role === 'compactionSummary' ? clip(told[0]!, limit / 2) : undefined;
  const last: string[] = [];
  let left = limit - (first?.length ?? 0);
  let index = told.length - 1;
  for (; index >= (first === undefined ? 0 : 1); index--) {
    const text = told[index]!;
    if (text === '') continue;
    // The last message is cut rather than left out.
    if (text.length > left && last.length > 0) break;
    last.unshift(clip(text, left));
    left -= text.length + 2;
  }
  const leftOut = index + 1 - (first === undefined ? 0 : 1);
  const note = leftOut > 0 ? [`(${leftOut} earlier messages are left out.)`] : [];
  return [...(first === undefined ? [] : [first]), ...note, ...last].join('\n\n');
}

function tellMessage(message: TranscriptMessage): string {
  const { role, content, summary, toolName, isError } = message as TranscriptMessage & {
    readonly summary?: unknown;
    readonly toolName?: unknown;
    readonly isError?: unknown;
  };
  if (typeof summary === 'string') return `Summary of what was said before:\n${summary}`;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) return '';
  const parts = blocks.map(tellBlock).filter((part) => part !== '');
  if (role === 'toolResult') {
    const result = clip(parts.join('\n'), LONGEST_RESULT);
    return `${isError === true ? 'Failed result' : 'Result'} of ${String(toolName)}:\n${result}`;
  }
  if (parts.length === 0) return '';
  if (role === 'user') return tellPerson(parts.join('\n'));
  const speaker = role === 'assistant' ? 'You' : 'A note';
  const cut = message.stopReason === 'aborted' ? ' (you were interrupted here)' : '';
  return `${speaker}: ${parts.join('\n')}${cut}`;
}

/** What the model was told in front of the words of the person stays in lines that begin as it knows them. */
function tellPerson(text: string): string {
  const part = splitSystemPart(text, { isGuarded: true });
  if (part === undefined) return `The person: ${text}`;
  return part.words === '' ? part.told : `${part.told}\n\nThe person: ${part.words}`;
}

function tellBlock(block: unknown): string {
  const { type, text, name, arguments: args } = (block ?? {}) as Record<string, unknown>;
  if (type === 'text') return String(text);
  if (type === 'toolCall')
    return `[calls ${String(name)} ${clip(JSON.stringify(args ?? {}), LONGEST_ARGUMENTS)}]`;
  return type === 'image' ? '[image]' : '';
}

/** Beginning and end, where it is too long. */
function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.max(0, Math.floor(limit / 2) - 10);
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '');
  const tail = half === 0 ? '' : text.slice(-half).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head} […] ${tail}`;
}
