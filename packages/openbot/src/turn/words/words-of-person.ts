import { splitSystemPart } from '@openbot/sessions/transcript';
import { unguardText } from './guard-text.ts';
import { MEDIA_NOT_RECEIVED_PREFIX, MEDIA_PREFIX } from './markers.ts';

/**
 * A message of a person as a chat shows it: without the events and the names of files that the model reads in front of
 * it, and without the signs that guard it. One that consists of events alone stays as it is.
 */
export function wordsOfPerson(text: string): string {
  const part = splitSystemPart(text, { isGuarded: true });
  if (part?.words === '') return text;
  const lines = (part?.words ?? text).split('\n');
  const begin = lines.findIndex((line) => !isMediaLine(line));
  return unguardText(begin < 0 ? '' : lines.slice(begin).join('\n'));
}

function isMediaLine(line: string): boolean {
  return line.startsWith(MEDIA_PREFIX) || line.startsWith(MEDIA_NOT_RECEIVED_PREFIX);
}
