import { FLAG } from '../entry.ts';
import type { Transcript } from '../transcript.ts';
import type { Context } from './context.ts';

/**
 * One message as a provider sees it: neighbours of one role are one message to it, whatever wrote them. Results come in
 * the user's messages.
 */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  /** The entries that it is made of, in their order. */
  readonly entries: readonly number[];
  readonly hasThinking: boolean;
  /** Whether its first block is thinking. */
  readonly beginsWithThinking: boolean;
}

/**
 * What the model is given, in the form in which a provider judges it.
 * @param context from `contextOf`
 */
export function modelMessagesOf(
  transcript: Transcript,
  context: Pick<Context, 'entries' | 'edits'>,
): ModelMessage[] {
  const messages: OpenMessage[] = [];
  for (const index of context.entries) {
    const role = sideOf(transcript, index);
    if (role === undefined) continue;
    // What an edit put in the place of the entry's own content is words.
    const flags = context.edits.has(index) ? 0 : transcript.flagsOf(index);
    const hasThinking = role === 'assistant' && (flags & FLAG.thinking) !== 0;
    const message = findMessage(transcript, messages, role, index);
    if (message !== undefined) {
      message.entries.push(index);
      message.hasThinking ||= hasThinking;
      continue;
    }
    const beginsWithThinking = hasThinking && (flags & FLAG.beginsWithThinking) !== 0;
    messages.push({ role, entries: [index], hasThinking, beginsWithThinking });
  }
  return messages;
}

/** The ids of the calls in a message, in their order. */
export function callIdsOf(transcript: Transcript, { entries }: Pick<ModelMessage, 'entries'>): string[] {
  return entries.flatMap((index) => transcript.callsOf(index).map(({ id }) => id));
}

/** The ids of the calls that a message answers, in the order of its results. */
export function answeredIdsOf(transcript: Transcript, { entries }: Pick<ModelMessage, 'entries'>): string[] {
  return entries.flatMap((index) => transcript.resultsOf(index).map(({ callId }) => callId));
}

/** On whose side of the conversation a provider sees an entry of the context; undefined where it sees nothing of it. */
export function sideOf(transcript: Transcript, index: number): ModelMessage['role'] | undefined {
  switch (transcript.roleOf(index)) {
    case 'assistant':
      return isEmpty(transcript, index) ? undefined : 'assistant';
    case 'system':
    case 'other':
      // Instructions in passing, and what programs pass over.
      return undefined;
    case 'user':
      return isEmpty(transcript, index) ? undefined : 'user';
    default:
      return 'user';
  }
}

/** Programs leave out messages with nothing in them. */
function isEmpty(transcript: Transcript, index: number): boolean {
  return (
    transcript.textSizeOf(index) === 0 &&
    transcript.imageCountOf(index) === 0 &&
    transcript.callCountOf(index) === 0 &&
    !transcript.has(index, FLAG.thinking | FLAG.otherContent)
  );
}

type OpenMessage = { -readonly [Key in keyof ModelMessage]: ModelMessage[Key] } & { entries: number[] };

/** The message that an entry goes on with. */
function findMessage(
  transcript: Transcript,
  messages: readonly OpenMessage[],
  role: ModelMessage['role'],
  index: number,
): OpenMessage | undefined {
  const last = messages.at(-1);
  if (last === undefined || last.role === role) return last;
  // Results may come between the lines of one message of Claude Code's.
  const before = role === 'assistant' ? messages.at(-2) : undefined;
  const message = transcript.messageOf(index);
  const isSame = message >= 0 && before?.entries.some((entry) => transcript.messageOf(entry) === message);
  return isSame ? before : undefined;
}
