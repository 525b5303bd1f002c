import type { BigIntStats } from 'node:fs';
import type { SavedTally } from '../scan/header-tally.ts';
import type { JsonlHeader } from '../scan/jsonl-header.ts';

/** Identifies a state of a file: any change of the file changes one of these. */
export interface FileMark {
  readonly ino: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

/** The entry of a transcript. */
export interface IndexEntry {
  readonly mark: FileMark;
  /** False if the file was changed so shortly before it was read that a later change may have the same times. */
  readonly isSettled: boolean;
  readonly header: JsonlHeader;
  /** What is needed to continue where the reading ended. Parsed only when it is needed. */
  readonly growth: () => GrowthState;
}

export interface GrowthState {
  /** The position after the last line end. */
  readonly resumeAt: number;
  /** The count of all lines before that. */
  readonly tally: SavedTally;
  /** Checksums of all bytes of the file. */
  readonly checksums: readonly number[];
}

/** The coarsest resolution of times of any file system in use. */
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

/** @param nowMs before the stats were taken. A time in the future counts as recent. */
export function isSettled(stats: BigIntStats, nowMs: number): boolean {
  return Number(stats.ctimeMs) + COARSEST_TIME_MS < nowMs && Number(stats.mtimeMs) + COARSEST_TIME_MS < nowMs;
}
