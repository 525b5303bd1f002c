import { FLAG } from './entry.ts';
import type { Transcript } from './transcript.ts';

/** What the model is given of a path. */
export interface Context {
  /** Indices of the entries that reach the model, in the order in which it sees them. */
  readonly entries: readonly number[];
  /** The compaction or reset that cut older entries off. */
  readonly cutBy: number | undefined;
  /** Older entries of the path that the cut left behind. */
  readonly cutOff: readonly number[];
  /** By index of an entry: the index of the edit that changes what it gives. */
  readonly edits: ReadonlyMap<number, number>;
}

/** @param path from `activePath` */
export function contextOf(transcript: Transcript, path: readonly number[]): Context {
  let cut = -1;
  for (let position = path.length - 1; position >= 0 && cut < 0; position--) {
    const kind = transcript.kindOf(path[position]!);
    if (kind === 'compaction' || kind === 'reset') cut = position;
  }
  const edits = new Map<number, number>();
  const entries = (cut < 0 ? path : afterCut(transcript, path, cut)).filter((index, position) => {
    if (transcript.kindOf(index) === 'context-edit') {
      const target = transcript.targetIndexOf(index);
      if (target !== undefined) edits.set(target, index);
    }
    return reachesModel(transcript, index, position === 0);
  });
  return { entries, cutBy: cut < 0 ? undefined : path[cut], cutOff: path.slice(0, Math.max(cut, 0)), edits };
}

function afterCut(transcript: Transcript, path: readonly number[], cut: number): readonly number[] {
  const boundary = path[cut]!;
  const later = path.slice(cut + 1);
  if (transcript.kindOf(boundary) === 'reset') return later;
  if (transcript.dialect === 'claude-code') {
    const present = new Set(later);
    const preserved = transcript
      .preservedBy(boundary)
      .map((id) => transcript.indexOf(id))
      .filter((index): index is number => index !== undefined && !present.has(index));
    return [boundary, ...preserved, ...later];
  }
  const firstKept = transcript.targetIndexOf(boundary);
  const from = firstKept === undefined ? -1 : path.indexOf(firstKept);
  const kept = from < 0 || from > cut ? [] : path.slice(from, cut);
  return [boundary, ...kept, ...later];
}

function reachesModel(transcript: Transcript, index: number, isFirst: boolean): boolean {
  if (transcript.has(index, FLAG.outOfContext) || transcript.has(index, FLAG.failed)) return false;
  switch (transcript.kindOf(index)) {
    case 'message':
    case 'branch-summary':
    case 'custom-message':
      return true;
    case 'attachment':
      return transcript.textSizeOf(index) > 0;
    case 'compaction':
      // An older compaction within what a newer one kept says nothing.
      return isFirst && transcript.textSizeOf(index) > 0;
    default:
      return false;
  }
}
