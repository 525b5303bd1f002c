import { OpenBotError } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import { type CustomPresets, mergePresets } from '../clean/presets.ts';

/** Throws CONFIG_INVALID for an unknown name. @param where the file and key, or the variable, that names it */
export function checkDefaultPreset(name: string, custom: CustomPresets | undefined, where: string): void {
  const known = [...mergePresets(custom).keys()];
  if (known.includes(name)) return;
  const nearest = findNearest(name, known);
  throw new OpenBotError('CONFIG_INVALID', `${where} names an unknown preset: '${name}'`, {
    hint: nearest === undefined ? `Known presets: ${known.join(', ')}` : `Did you mean ${nearest}?`,
  });
}
