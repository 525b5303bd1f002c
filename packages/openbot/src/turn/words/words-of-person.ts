import { unguardText } from './guard-text.ts';
import { MEDIA_NOT_RECEIVED_PREFIX, MEDIA_PREFIX, SYSTEM_PREFIX } from './markers.ts';

/**
 * A message of a person as a chat shows it: without the events and the names of files that the model reads in front of
 * it, and without the signs that guard it. One that consists of events alone stays as it is.
 */
export function wordsOfPerson(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !line.startsWith(SYSTEM_PREFIX));
  if (first < 0) return text;
  // An empty line is between the events and the words.
  const words = first === 0 ? lines : lines.slice(first + 1);
  const begin = words.findIndex((line) => !isMediaLine(line));
  return unguardText(begin < 0 ? '' : words.slice(begin).join('\n'));
}

function isMediaLine(line: string): boolean {
  return line.startsWith(MEDIA_PREFIX) || line.startsWith(MEDIA_NOT_RECEIVED_PREFIX);
}
