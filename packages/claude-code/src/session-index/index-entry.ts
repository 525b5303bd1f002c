import type { BigIntStats } from 'node:fs';
import type { SavedTally } from '../scan/header-tally.ts';
import type { JsonlHeader } from '../scan/jsonl-header.ts';

/** A file at one moment. Whatever is done to it changes one of these. */
export interface FileMark {
  readonly ino: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

/** What is known of a transcript since it was read. */
export interface IndexEntry {
  readonly mark: FileMark;
  /** False: it was changed so shortly before it was read that another change since need not show in its times. */
  readonly isSettled: boolean;
  readonly header: JsonlHeader;
  /** What it takes to go on where the reading ended. Read only when it is needed. */
  readonly growth: () => GrowthState;
}

export interface GrowthState {
  /** Behind the last line end. */
  readonly resumeAt: number;
  /** Of all lines before that. */
  readonly tally: SavedTally;
  /** Of all bytes of the file. */
  readonly checksums: readonly number[];
}

/** As coarse as the times of any file system in use. */
const COARSEST_TIME_MS = 2000;

export function markOf(stats: BigIntStats): FileMark {
  return {
    ino: String(stats.ino),
    size: Number(stats.size),
    mtimeNs: String(stats.mtimeNs),
    ctimeNs: String(stats.ctimeNs),
  };
}

export function isSameMark(one: FileMark, other: FileMark): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

/** @param nowMs not after the stats were taken. A time that lies ahead is no old one. */
export function isSettled(stats: BigIntStats, nowMs: number): boolean {
  return Number(stats.ctimeMs) + COARSEST_TIME_MS < nowMs && Number(stats.mtimeMs) + COARSEST_TIME_MS < nowMs;
}
