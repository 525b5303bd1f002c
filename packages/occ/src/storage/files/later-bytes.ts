import type { Journal } from '../../backups/journal.ts';
import { hashTail } from '../../backups/tail-hash.ts';
import type { Backup, RewriteRecord } from '../contract/kept-state.ts';

/** A part of a file that holds what was said after a rewrite. */
export interface Stretch {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Where in the backup its place is; behind all of it where left out. */
  readonly before?: number;
}

export interface SessionFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * What was said since a backup was made, in its order. Each rewrite since then left a backup of the state it found, so that
 * what was said between two rewrites is there as it was said, also where the later one shortened it; the rest is at the
 * end of the session. Undefined where another program rewrote the session, so that the ends are unknown.
 */
export function findLaterBytes(
  backup: Backup,
  backups: readonly Backup[],
  journal: Journal,
  session: SessionFile,
): Stretch[] | undefined {
  const first = journal.rewrites.findLastIndex((record) => record.backup === backup.number);
  if (first < 0) return undefined;
  const pathOf = new Map(backups.map(({ number, path }) => [number, path]));
  const stretches: Stretch[] = [];
  for (let i = first; i < journal.rewrites.length; i++) {
    const record = journal.rewrites[i]!;
    const next = journal.rewrites[i + 1];
    const path = next === undefined ? session.path : pathOf.get(next.backup);
    const before = pathOf.get(record.backup);
    if (path === undefined || before === undefined) return undefined;
    const end = next?.backupBytes ?? session.bytes;
    const start = endOfRewrite(record, before, path);
    if (start === undefined || start > end) return undefined;
    if (start < end) stretches.push({ path, start, end });
  }
  return stretches;
}

/** Where the state that a rewrite left ends in a later state; where the rewrite never took place, what it began with. */
function endOfRewrite(record: RewriteRecord, before: string, later: string): number | undefined {
  if (hashTail(later, record.resultBytes) === record.resultHash) return record.resultBytes;
  const old = hashTail(before, record.backupBytes);
  return old !== undefined && hashTail(later, record.backupBytes) === old ? record.backupBytes : undefined;
}
