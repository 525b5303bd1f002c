import { splitSystemPart } from '@openbot/sessions/transcript';
import { MEDIA_NOT_RECEIVED_PREFIX, MEDIA_PREFIX } from './markers.ts';
import { stripStructuralPrefixes } from './strip-structural-prefixes.ts';

const OF_MEDIA = [MEDIA_PREFIX, MEDIA_NOT_RECEIVED_PREFIX];

/** What a person wrote, of a message as the transcript has it: without events and names of files in front of it, labels and names. */
export function plainWords(text: string): string {
  const words = splitSystemPart(text, { isGuarded: true })?.words ?? text;
  const lines = words.split('\n').filter((line) => !OF_MEDIA.some((prefix) => line.startsWith(prefix)));
  return stripStructuralPrefixes(lines.join('\n'));
}
