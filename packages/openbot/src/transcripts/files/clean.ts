import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OpenBotError } from '@openbot/sessions';
import type { CleanChoice, CleanResult, CleanStrength, RestoreResult } from '../contract.ts';

const STRENGTHS = {
  default: { preset: 'default' },
  hard: { preset: 'default', keepTurnsWithTools: 1, truncatePercent: 0, truncateOver: 2000 },
} as const satisfies Record<CleanStrength, object>;

/**
 * Cleans a transcript whose run lock the caller holds. The file is replaced: what was remembered of its size or of the
 * places of its lines is out of date afterwards; the ids of its entries are not.
 */
export async function cleanTranscript(path: string, how: CleanStrength | CleanChoice): Promise<CleanResult> {
  if (!existsSync(path)) return { changed: false, savedTokens: 0 };
  // Loaded here: cleaning is rare, and the cleaner is larger than everything else that a turn needs.
  const { executeEdit } = await import('oc-context-cleaner');
  const { changed, tokens } = await executeEdit({
    toolRemoval:
      typeof how === 'string' ? STRENGTHS[how] : { preset: how.preset, keepTurnsWithTools: how.keep },
    ...placeOf(path),
  });
  return { changed, savedTokens: changed ? Math.max(0, tokens.before - tokens.after) : 0 };
}

/** Undoes the last clean of a transcript whose run lock the caller holds. The file is replaced. */
export async function restoreTranscript(path: string): Promise<RestoreResult> {
  if (!existsSync(path)) return { restored: false, linesKept: 0 };
  const { executeRestore } = await import('oc-context-cleaner');
  try {
    const { linesKept, thinkingUnbound } = await executeRestore(placeOf(path));
    return { restored: true, linesKept, ...(thinkingUnbound !== undefined && { thinkingUnbound }) };
  } catch (error) {
    // By its properties: where the cleaner is installed beside a bundle, its errors are of another class.
    const hasNone = (error as Partial<OpenBotError>).details?.backups !== undefined;
    if (hasNone) return { restored: false, linesKept: 0 };
    throw error;
  }
}

function placeOf(path: string) {
  return {
    sessionId: path,
    source: 'openclaw',
    // The last exchange is unfinished because the run that waits for this is ours. Locks of others still count.
    force: true,
    waitMs: 5000,
    cwd: dirname(path),
    // The caller's own variables could name another session, or make this process look like a tool of its run.
    env: {},
  } as const;
}
