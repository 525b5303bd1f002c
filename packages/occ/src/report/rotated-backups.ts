import type { RotatedOut } from '../operations/describe-rotation.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { commandFor } from './chosen-session.ts';
import type { ReportOptions } from './report-options.ts';

/** The backups that were removed, and how to restore the first state. */
export function rotatedLines(
  { rotatedOut, originalPath }: RotatedOut,
  session: FoundSession,
  options: ReportOptions,
): string[] {
  if (rotatedOut === undefined) return [];
  const numbers = rotatedOut.map((path) => /\.backup\.(\d+)\.jsonl$/.exec(path)?.[1] ?? path);
  const went = `Rotated out: backup ${numbers.join(', ')}; the newest five are kept`;
  if (originalPath === undefined) return [went];
  const command = options.palette.cyan(commandFor('restore', session, options, '--original'));
  return [`${went}, and the original (${command})`];
}
