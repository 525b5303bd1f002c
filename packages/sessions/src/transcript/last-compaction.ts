import type { Transcript } from './transcript.ts';

/** What the last compaction of a Claude Code file makes of the lines before it. */
export interface LastCompaction {
  /** The line of the compaction. */
  readonly boundary: number;
  /** The older lines that it keeps, in their order. */
  readonly preserved: readonly number[];
  /** Whether no other line before it can be reached any more. */
  readonly dropsOlder: boolean;
}

export function findLastCompaction(transcript: Transcript): LastCompaction | undefined {
  let boundary = transcript.length - 1;
  while (boundary >= 0 && transcript.kindOf(boundary) !== 'compaction') boundary--;
  if (boundary < 0) return undefined;
  if (transcript.preservedBy(boundary) !== undefined) {
    const preserved = preservedLines(transcript, boundary);
    return { boundary, preserved: preserved ?? [], dropsOlder: preserved !== undefined };
  }
  let earlier = boundary - 1;
  while (earlier >= 0 && transcript.preservedBy(earlier) === undefined) earlier--;
  return { boundary, preserved: [], dropsOlder: earlier >= 0 };
}

/** The lines that a compaction keeps; undefined where it does not tell, or where one is missing: then it keeps none. */
export function preservedLines(transcript: Transcript, boundary: number): number[] | undefined {
  const lines: number[] = [];
  const ids = transcript.preservedBy(boundary);
  for (const id of ids ?? []) {
    const line = transcript.indexOf(id);
    if (line === undefined) return undefined;
    lines.push(line);
  }
  return ids && lines;
}
