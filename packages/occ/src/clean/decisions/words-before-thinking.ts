import type { Transcript } from '@openbot/sessions';
import { type Context, FLAG, modelMessagesOf, sideOf } from '@openbot/sessions/transcript';

/** Messages of the assistant that are one message to a provider. */
interface Joined {
  begins: 'not yet' | 'with thinking' | 'with words';
  /** Those that have several lines, by number. */
  readonly messages: Set<number>;
}

/** What stays of an entry. */
interface Remains {
  /** Whether its thinking stays. */
  thinks(index: number): boolean;
  /** Whether anything else stays. */
  isLeft(index: number): boolean;
}

/** Whether thinking that stays would be in a message that begins with words, and was in none before. */
export function hasWordsBeforeThinking(
  transcript: Transcript,
  { entries, edits }: Pick<Context, 'entries' | 'edits'>,
  remains: Remains,
): boolean {
  const misplaced = new Set(
    modelMessagesOf(transcript, { entries, edits })
      .filter(({ hasThinking, beginsWithThinking }) => hasThinking && !beginsWithThinking)
      .flatMap((message) => message.entries),
  );
  let before: Joined | undefined;
  let current: Joined = { begins: 'not yet', messages: new Set() };
  for (const index of entries) {
    const side = sideOf(transcript, index);
    const thinks = side === 'assistant' && remains.thinks(index);
    if (side === undefined || (!thinks && !remains.isLeft(index))) continue;
    if (side === 'user') {
      if (current.begins !== 'not yet') before = current;
      current = { begins: 'not yet', messages: new Set() };
      continue;
    }
    // Results may be between the lines of one message.
    const message = transcript.messageOf(index);
    const goesOn = current.begins === 'not yet' && message >= 0 && before?.messages.has(message);
    const joined = goesOn ? before! : current;
    joined.messages.add(message);
    if (joined.begins === 'not yet') {
      const isFirst = thinks && transcript.has(index, FLAG.beginsWithThinking);
      joined.begins = isFirst ? 'with thinking' : 'with words';
    }
    if (thinks && joined.begins === 'with words' && !misplaced.has(index)) return true;
  }
  return false;
}
