import { appendFile, open } from 'node:fs/promises';
import { scanTranscriptFile } from '@openbot/sessions';
import { type HeldLock, sweepLeftovers } from '@openbot/sessions/disk';
import { insertLines } from '@openbot/sessions/rewrite';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { dropUnfinishedBackups, listBackupFiles } from '../../backups/backups.ts';
import { type Journal, updateJournal } from '../../backups/journal.ts';
import { hashTail } from '../../backups/tail-hash.ts';
import type { RewriteRecord } from '../contract/kept-state.ts';
import { sweepKilledClones } from './clones/clone-note.ts';
import { readFileJournal } from './replace-file.ts';

/**
 * Finishes what earlier rewrites of a session left: those that were killed before the swap, and lines that a process wrote
 * to the old file after it, through a descriptor opened before. The transcript's lock must be held.
 * @returns what happened to the file
 */
export async function tidyUp(path: string, lock: HeldLock): Promise<Journal> {
  const paths = backupPathsOf(path);
  const journal = readFileJournal(path);
  sweepLeftovers(paths.folder);
  sweepKilledClones(paths.sessionsFolder);
  const dropped = await dropUnfinishedBackups(paths, path);
  const backups = new Map(listBackupFiles(paths, path).map((backup) => [backup.number, backup]));
  const carried = new Map<number, number>();
  const last = journal.rewrites.findLast(({ backup }) => !dropped.includes(backup));
  // Where another program rewrote the session since, the place of a late line is unknown: it stays in its backup.
  const isPlaceKnown = last !== undefined && hashTail(path, last.resultBytes) === last.resultHash;
  for (const record of journal.rewrites) {
    const backup = backups.get(record.backup);
    const from = record.carriedTo ?? record.backupBytes;
    if (!isPlaceKnown || backup === undefined || backup.sizeBytes <= from) continue;
    const late = await readWholeLines(backup.path, from);
    if (late.length === 0) continue;
    const isRest = from > 0 && (await readByte(backup.path, from - 1)) !== LINE_FEED;
    await addMissing(path, last, late, isRest, lock);
    carried.set(record.backup, from + late.length);
  }
  if (dropped.length === 0 && carried.size === 0) return journal;
  await updateJournal(path, (current) => ({
    ...current,
    rewrites: current.rewrites
      .filter(({ backup }) => !dropped.includes(backup))
      .map((record) => withCarried(record, carried.get(record.backup))),
  }));
  return readFileJournal(path);
}

function withCarried(record: RewriteRecord, carriedTo: number | undefined): RewriteRecord {
  return carriedTo === undefined ? record : { ...record, carriedTo };
}

async function readWholeLines(path: string, from: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, size - from));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytes.subarray(0, bytesRead).lastIndexOf(0x0a) + 1);
  } finally {
    await file.close();
  }
}

const LINE_FEED = 0x0a;

async function readByte(path: string, at: number): Promise<number | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, at);
    return bytesRead === 0 ? undefined : buffer[0];
  } finally {
    await file.close();
  }
}

/**
 * Lines that came over before a crash could be written down are not added a second time. They stand where they would have
 * stood, right behind the last rewrite: what was said since may hang from them, and must stay last.
 * @param isRest the first of them is the end of a line whose beginning came over
 */
async function addMissing(
  path: string,
  last: RewriteRecord,
  late: Buffer,
  isRest: boolean,
  lock: HeldLock,
): Promise<void> {
  const saidFrom = last.resultBytes;
  const said = splitLines(await readWholeLines(path, saidFrom));
  const known = new Set(said);
  const missing = splitLines(late).filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const lines = `${missing.join('\n')}\n`;
  if (!isRest && said.length > 0) return insertBehind(path, saidFrom, lines, lock);
  const { terminated } = await scanTranscriptFile(path);
  await appendFile(path, `${terminated || isRest ? '' : '\n'}${lines}`, { encoding: 'latin1', flush: true });
}

async function insertBehind(path: string, at: number, lines: string, lock: HeldLock): Promise<void> {
  const endsLine = at === 0 || (await readByte(path, at - 1)) === LINE_FEED;
  await insertLines(path, at, Buffer.from(`${endsLine ? '' : '\n'}${lines}`, 'latin1'), lock);
}

function splitLines(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\n').slice(0, -1);
}
