import { OpenBotError } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { z } from 'zod';
import { CONFIGURATION_KEYS, configurationSchema, PRESET_KEYS } from './schema.ts';

interface CheckedFile {
  readonly shownPath: string;
  /** The key of the file that contains the settings. */
  readonly under?: string;
}

/** Throws CONFIG_INVALID with one line for each fault. */
export function checkConfiguration(written: unknown, file: CheckedFile): void {
  refuseHiddenPreset(written, file);
  const { error } = configurationSchema.safeParse(written);
  if (error === undefined) return;
  const lines = error.issues.flatMap((issue) => describeIssue(issue, file));
  throw new OpenBotError('CONFIG_INVALID', lines.join('\n'), { hint: suggestKeys(error.issues) });
}

/** The schema ignores this key in an object with free keys. */
function refuseHiddenPreset(written: unknown, file: CheckedFile): void {
  const presets = (written as { customPresets?: unknown } | null | undefined)?.customPresets;
  if (typeof presets !== 'object' || presets === null || !Object.hasOwn(presets, '__proto__')) return;
  const where = describePath(['customPresets', '__proto__'], file);
  throw new OpenBotError('CONFIG_INVALID', `${where} is not a valid name for a preset`, {
    hint: 'Choose another name',
  });
}

function describeIssue(issue: z.core.$ZodIssue, file: CheckedFile): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${describePath(issue.path, file)} ${issue.message}`];
  return issue.keys.map((key) => `${describePath([...issue.path, key], file)} is not a setting`);
}

function describePath(path: readonly PropertyKey[], { shownPath, under }: CheckedFile): string {
  const keys = under === undefined ? path : [under, ...path];
  return keys.length === 0 ? shownPath : `${shownPath}: ${keys.join('.')}`;
}

/** The similar name, else all names. */
function suggestKeys(issues: readonly z.core.$ZodIssue[]): string {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const known = issue.path.length === 0 ? CONFIGURATION_KEYS : PRESET_KEYS;
    const nearest = issue.keys.flatMap((key) => findNearest(key, known) ?? []);
    return nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : `Settings: ${known.join(', ')}`;
  }
  return 'Correct the value, or leave the key out';
}
