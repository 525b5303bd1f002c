import { closeSync, openSync, readSync } from 'node:fs';
import { scanTranscriptFile, type Transcript } from '@openbot/sessions';
import type { Backup } from './backups.ts';
import type { Journal, RewriteRecord } from './journal.ts';
import { hashTail } from './tail-hash.ts';

/** A part of a file that holds what was said after a rewrite. */
export interface Stretch {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export interface SessionState {
  readonly path: string;
  readonly bytes: number;
}

/**
 * What was said since a backup was made, in its order. Each rewrite since then left a backup of the state it found, so that
 * what was said between two rewrites is there as it was said, also where the later one shortened it; the rest is at the
 * end of the session. Undefined where somebody else rewrote the session, so that the ends cannot be told.
 */
export function findSaidSince(
  backup: Backup,
  backups: readonly Backup[],
  journal: Journal,
  session: SessionState,
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

/**
 * The same, where the journal does not tell: what stands behind the last line of the session that the backup has too, by
 * id or, for lines without one, by its text. Undefined when they have no line in common.
 */
export async function findNewLines(backup: Backup, session: SessionState): Promise<Stretch[] | undefined> {
  const [old, now] = [await scanTranscriptFile(backup.path), await scanTranscriptFile(session.path)];
  const texts = linesWithoutId(old, backup.path);
  const file = openSync(session.path, 'r');
  try {
    for (let i = now.length - 1; i >= 0; i--) {
      const id = now.idOf(i);
      const isCommon = id === undefined ? texts.has(readLine(file, now, i)) : old.indexOf(id) !== undefined;
      if (!isCommon || now.kindOf(i) === 'header' || now.kindOf(i) === 'blank') continue;
      const start = i + 1 < now.length ? now.startOf(i + 1) : session.bytes;
      return start < session.bytes ? [{ path: session.path, start, end: session.bytes }] : [];
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

function linesWithoutId(transcript: Transcript, path: string): Set<string> {
  const file = openSync(path, 'r');
  try {
    const texts = new Set<string>();
    for (let i = 0; i < transcript.length; i++) {
      if (transcript.idOf(i) === undefined) texts.add(readLine(file, transcript, i));
    }
    return texts;
  } finally {
    closeSync(file);
  }
}

function readLine(file: number, transcript: Transcript, index: number): string {
  const buffer = Buffer.alloc(transcript.endOf(index) - transcript.startOf(index));
  readSync(file, buffer, 0, buffer.length, transcript.startOf(index));
  return buffer.toString('latin1');
}
