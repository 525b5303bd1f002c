import { closeSync, openSync, readSync } from 'node:fs';
import { scanTranscriptFile, type Transcript } from '@openbot/sessions';
import type { Backup } from '../session-file/backups.ts';
import type { ReadSession } from './readable-session.ts';

/** A line of the session as it is to be again. */
export interface RestoredLine {
  /** The line of the session now that it is, or was made of; undefined where there is none any more. */
  readonly row: number | undefined;
  /** Its text, where a backup has it. */
  readonly kept: { readonly state: number; readonly index: number } | undefined;
}

/** A backup that is open for reading. */
export interface KeptState {
  readonly path: string;
  readonly file: number;
  readonly transcript: Transcript;
}

/** The chosen backup and those that were made after it, in their order. To be closed. */
export async function openKeptStates(chosen: Backup, backups: readonly Backup[]): Promise<KeptState[]> {
  const states: KeptState[] = [];
  for (const { number, path } of backups) {
    if (number < chosen.number) continue;
    const transcript = await scanTranscriptFile(path);
    states.push({ path, file: openSync(path, 'r'), transcript });
  }
  return states;
}

export function closeKeptStates(states: readonly KeptState[]): void {
  for (const { file } of states) closeSync(file);
}

/**
 * The lines of the chosen backup, and behind them what was said since. Every rewrite since then left a backup of what it
 * found, so that what was said in between is there as it was said; what was said after the last of them is in the session.
 * Lines are the same when they have the same id, and what was said since stands behind the last one that was there before:
 * older ones that are not in the chosen backup are what a clean had removed by then.
 */
export function listRestoredLines(states: readonly KeptState[], session: ReadSession): RestoredLine[] {
  const { transcript: now } = session;
  const [chosen, ...later] = states;
  const header = findHeader(now);
  const seen = new Set<string>();
  const lines: RestoredLine[] = [];
  for (let index = 0; index < chosen!.transcript.length; index++) {
    const id = chosen!.transcript.idOf(index);
    if (id !== undefined) seen.add(id);
    const isHeader = chosen!.transcript.kindOf(index) === 'header';
    const row = id === undefined ? (isHeader ? header : undefined) : now.indexOf(id);
    lines.push({ row, kept: { state: 0, index } });
  }
  for (const [number, { transcript }] of later.entries()) {
    for (const { id, index } of listSaidSince(transcript, seen)) {
      lines.push({ row: id === undefined ? undefined : now.indexOf(id), kept: { state: number + 1, index } });
    }
  }
  for (const { index } of listSaidSince(now, seen)) lines.push({ row: index, kept: undefined });
  return lines;
}

/** The lines behind the last one that was seen before; they count as seen from then on. */
function listSaidSince(
  transcript: Transcript,
  seen: Set<string>,
): { readonly id: string | undefined; readonly index: number }[] {
  let last = transcript.length - 1;
  while (last >= 0 && !seen.has(transcript.idOf(last) ?? '')) last--;
  const said: { id: string | undefined; index: number }[] = [];
  for (let index = last + 1; last >= 0 && index < transcript.length; index++) {
    const id = transcript.idOf(index);
    if (id !== undefined) seen.add(id);
    said.push({ id, index });
  }
  return said;
}

function findHeader(transcript: Transcript): number | undefined {
  for (let i = 0; i < transcript.length; i++) if (transcript.kindOf(i) === 'header') return i;
  return undefined;
}

export function readKeptLine({ path, file, transcript }: KeptState, index: number): Buffer {
  const start = transcript.startOf(index);
  const line = Buffer.allocUnsafe(transcript.endOf(index) - start);
  for (let filled = 0; filled < line.length; ) {
    const count = readSync(file, line, filled, line.length - filled, start + filled);
    if (count === 0) throw new Error(`${path} became shorter while it was read`);
    filled += count;
  }
  return line;
}
