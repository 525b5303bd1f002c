import { OpenBotError } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { z } from 'zod';
import { CONFIGURATION_KEYS, configurationSchema, PRESET_KEYS } from './schema.ts';

export interface CheckedPlace {
  /** Names the file that holds a top-level key. */
  fileOf(key: string): string;
  /** The key of the file under which the settings stand. */
  readonly under?: string;
}

/** Throws CONFIG_INVALID with one line for each fault. */
export function checkConfiguration(written: unknown, place: CheckedPlace): void {
  refuseHiddenPreset(written, place);
  const { error } = configurationSchema.safeParse(written);
  if (error === undefined) return;
  const lines = error.issues.flatMap((issue) => describeIssue(issue, place));
  throw new OpenBotError('CONFIG_INVALID', lines.join('\n'), { hint: suggestKeys(error.issues) });
}

/** Checks pass over this key of an object whose keys are free. */
function refuseHiddenPreset(written: unknown, place: CheckedPlace): void {
  const presets = (written as { customPresets?: unknown } | null | undefined)?.customPresets;
  if (typeof presets !== 'object' || presets === null || !Object.hasOwn(presets, '__proto__')) return;
  const where = describePath(['customPresets', '__proto__'], place);
  throw new OpenBotError('CONFIG_INVALID', `${where} is not a name for a preset`, {
    hint: 'Name it otherwise',
  });
}

function describeIssue(issue: z.core.$ZodIssue, place: CheckedPlace): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${describePath(issue.path, place)} ${issue.message}`];
  return issue.keys.map((key) => `${describePath([...issue.path, key], place)} is not a setting`);
}

function describePath(path: readonly PropertyKey[], { fileOf, under }: CheckedPlace): string {
  const file = fileOf(String(path[0] ?? ''));
  const keys = under === undefined ? path : [under, ...path];
  return keys.length === 0 ? file : `${file}: ${keys.join('.')}`;
}

/** The name that was meant, else the names that there are. */
function suggestKeys(issues: readonly z.core.$ZodIssue[]): string {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const known = issue.path.length === 0 ? CONFIGURATION_KEYS : PRESET_KEYS;
    const nearest = issue.keys.flatMap((key) => findNearest(key, known) ?? []);
    return nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : `Settings: ${known.join(', ')}`;
  }
  return 'Correct the value, or leave the key out';
}
