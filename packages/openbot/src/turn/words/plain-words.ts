import { SYSTEM_PREFIX } from './markers.ts';
import { stripStructuralPrefixes } from './strip-structural-prefixes.ts';

/** What a person wrote, of a message as the transcript has it: without events in front of it, labels and names. */
export function plainWords(text: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith(SYSTEM_PREFIX));
  return stripStructuralPrefixes(lines.join('\n'));
}
