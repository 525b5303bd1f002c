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
  /** Entries that an edit took out of the context. */
  readonly takenOut: readonly number[];
}

/** @param path from `activePath` */
export function contextOf(transcript: Transcript, path: readonly number[]): Context {
  let cut = -1;
  for (let position = path.length - 1; position >= 0 && cut < 0; position--) {
    const kind = transcript.kindOf(path[position]!);
    if (kind === 'compaction' || kind === 'reset') cut = position;
  }
  const given = cut < 0 ? path : afterCut(transcript, path, cut);
  const edits = new Map<number, number>();
  for (const index of given) {
    const target = transcript.kindOf(index) === 'context-edit' ? transcript.targetIndexOf(index) : undefined;
    if (target === undefined) continue;
    // The last edit counts, also where it changes nothing.
    if (transcript.has(index, FLAG.removesTarget) || hasContent(transcript, target)) edits.set(target, index);
    else edits.delete(target);
  }
  const isTakenOut = (index: number) => transcript.has(edits.get(index) ?? -1, FLAG.removesTarget);
  const reaching = given.filter((index, position) => reachesModel(transcript, index, position === 0));
  return {
    entries: reaching.filter((index) => !isTakenOut(index)),
    cutBy: cut < 0 ? undefined : path[cut],
    cutOff: path.slice(0, Math.max(cut, 0)),
    edits,
    takenOut: reaching.filter(isTakenOut),
  };
}

function afterCut(transcript: Transcript, path: readonly number[], cut: number): readonly number[] {
  const boundary = path[cut]!;
  const later = path.slice(cut + 1);
  if (transcript.kindOf(boundary) === 'reset') return later;
  if (transcript.dialect === 'claude-code') return [boundary, ...withPreserved(transcript, boundary, later)];
  const firstKept = transcript.targetIndexOf(boundary);
  const from = firstKept === undefined ? -1 : path.indexOf(firstKept);
  const kept = from < 0 || from > cut ? [] : path.slice(from, cut);
  // The compaction brings a system message of its own.
  return [boundary, ...kept.filter((index) => transcript.roleOf(index) !== 'system'), ...later];
}

/** Older messages that the compaction kept stand behind its summary. */
function withPreserved(transcript: Transcript, boundary: number, later: readonly number[]): number[] {
  const present = new Set(later);
  const preserved = transcript
    .preservedBy(boundary)
    .map((id) => transcript.indexOf(id))
    .filter((index): index is number => index !== undefined && !present.has(index));
  const anchor = later.indexOf(transcript.targetIndexOf(boundary) ?? -1) + 1;
  return [...later.slice(0, anchor), ...preserved, ...later.slice(anchor)];
}

/** Whether an edit can put other content in the place of the entry's own. */
function hasContent(transcript: Transcript, index: number): boolean {
  if (transcript.kindOf(index) === 'custom-message') return true;
  const role = transcript.roleOf(index);
  return role === 'user' || role === 'assistant' || role === 'toolResult' || role === 'custom';
}

function reachesModel(transcript: Transcript, index: number, isFirst: boolean): boolean {
  if (transcript.has(index, FLAG.outOfContext) || transcript.has(index, FLAG.failed)) return false;
  switch (transcript.kindOf(index)) {
    case 'message':
    case 'custom-message':
      return true;
    case 'branch-summary':
    case 'attachment':
      return transcript.textSizeOf(index) > 0;
    case 'compaction':
      // An older compaction within what a newer one kept says nothing. In Claude Code's files the summary is a line
      // of its own.
      return isFirst && transcript.dialect !== 'claude-code';
    default:
      return false;
  }
}
