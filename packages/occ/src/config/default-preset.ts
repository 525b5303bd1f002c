import { type CustomPresets, mergePresets } from '../clean/presets.ts';
import { OccError } from '../errors.ts';
import { findNearest } from '../nearest-name.ts';

/** Throws CONFIG_INVALID for the name of no preset. @param where the file and key, or the variable, that names it */
export function checkDefaultPreset(name: string, custom: CustomPresets | undefined, where: string): void {
  const known = [...mergePresets(custom).keys()];
  if (known.includes(name)) return;
  const nearest = findNearest(name, known);
  throw new OccError(`${where} names a preset that there is not: '${name}'`, 'CONFIG_INVALID', {
    hint: nearest === undefined ? `Known presets: ${known.join(', ')}` : `Did you mean ${nearest}?`,
  });
}
