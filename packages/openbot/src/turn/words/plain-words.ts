import { MEDIA_NOT_RECEIVED_PREFIX, MEDIA_PREFIX, SYSTEM_PREFIX } from './markers.ts';
import { stripStructuralPrefixes } from './strip-structural-prefixes.ts';

const OURS = [SYSTEM_PREFIX, MEDIA_PREFIX, MEDIA_NOT_RECEIVED_PREFIX];

/** What a person wrote, of a message as the transcript has it: without events and names of files in front of it, labels and names. */
export function plainWords(text: string): string {
  const lines = text.split('\n').filter((line) => !OURS.some((prefix) => line.startsWith(prefix)));
  return stripStructuralPrefixes(lines.join('\n'));
}
