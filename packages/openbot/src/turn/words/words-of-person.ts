import { unguardText } from './guard-text.ts';
import { SYSTEM_PREFIX } from './markers.ts';

/**
 * A message of a person as a chat shows it: without the events that the model reads in front of it, and without the signs
 * that guard it. One that consists of events alone stays as it is.
 */
export function wordsOfPerson(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !line.startsWith(SYSTEM_PREFIX));
  if (first < 0) return text;
  // An empty line is between the events and the words.
  return unguardText(first === 0 ? text : lines.slice(first + 1).join('\n'));
}
