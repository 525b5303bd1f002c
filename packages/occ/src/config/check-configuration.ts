import type { z } from 'zod';
import { OccError } from '../errors.ts';
import { findNearest } from '../nearest-name.ts';
import { CONFIGURATION_KEYS, configurationSchema, PRESET_KEYS } from './schema.ts';

/** Throws CONFIG_INVALID with one line for each fault. `whereOf` names the file that holds a top-level key. */
export function checkConfiguration(written: unknown, whereOf: (key: string) => string): void {
  const { error } = configurationSchema.safeParse(written);
  if (error === undefined) return;
  const lines = error.issues.flatMap((issue) => describeIssue(issue, whereOf));
  throw new OccError(lines.join('\n'), 'CONFIG_INVALID', { hint: suggestKeys(error.issues) });
}

function describeIssue(issue: z.core.$ZodIssue, whereOf: (key: string) => string): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return `${whereOf(String(path[0]))}: ${path.join('.')} is not a setting`;
    });
  }
  const where = whereOf(String(issue.path[0] ?? ''));
  return [`${where}${issue.path.length === 0 ? '' : `: ${issue.path.join('.')}`} ${issue.message}`];
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
