import { FLAG } from '../entry.ts';
import type { Transcript } from '../transcript.ts';
import { findLastCompaction, preservedLines } from '../tree/claude-code-leaf.ts';
import { leafOf } from '../tree/tree.ts';

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
  const { given, cutBy, cutOff } = rejoin(transcript, path) ?? cutPath(transcript, path);
  const edits = findEdits(transcript, given);
  const entries: number[] = [];
  const takenOut: number[] = [];
  for (let position = 0; position < given.length; position++) {
    const index = given[position]!;
    if (!reachesModel(transcript, index, position === 0)) continue;
    const edit = edits.size === 0 ? undefined : edits.get(index);
    if (edit !== undefined && transcript.has(edit, FLAG.removesTarget)) takenOut.push(index);
    else entries.push(index);
  }
  return { entries, cutBy, cutOff, edits, takenOut };
}

/** What a compaction or a reset leaves of a path. */
interface Cut {
  readonly given: readonly number[];
  readonly cutBy: number | undefined;
  readonly cutOff: readonly number[];
}

function cutPath(transcript: Transcript, path: readonly number[]): Cut {
  let cut = -1;
  const mayBeCut = transcript.hasKind('compaction') || transcript.hasKind('reset');
  for (let position = mayBeCut ? path.length - 1 : -1; position >= 0 && cut < 0; position--) {
    const kind = transcript.kindOf(path[position]!);
    if (kind === 'compaction' || kind === 'reset') cut = position;
  }
  if (cut < 0) return { given: path, cutBy: undefined, cutOff: [] };
  return { given: afterCut(transcript, path, cut), cutBy: path[cut], cutOff: path.slice(0, cut) };
}

/**
 * A conversation that was rewound to a message that Claude Code's last compaction kept goes on from there. Its lines lead
 * past the compaction, but the model is given the summary, what was kept up to that message, and what was said since.
 */
function rejoin(transcript: Transcript, path: readonly number[]): Cut | undefined {
  const compaction = transcript.dialect === 'claude-code' ? findLastCompaction(transcript) : undefined;
  if (compaction === undefined || compaction.preserved.length === 0) return undefined;
  const { boundary, preserved } = compaction;
  const onPath = new Set(path);
  const kept = preserved.filter((index) => onPath.has(index));
  if (kept.length === 0 || onPath.has(boundary)) return undefined;
  const since = path.filter((index) => index > boundary);
  // A path that ends before the compaction is what that cut off, unless the leaf is there.
  if (since.length === 0 && !kept.includes(leafOf(transcript))) return undefined;
  const summary: number[] = [];
  for (let at = transcript.targetIndexOf(boundary) ?? -1; at > boundary; ) {
    summary.unshift(at);
    const parent = transcript.parentOf(at);
    at = parent < at ? parent : -1;
  }
  const isKept = new Set(kept);
  return {
    given: [boundary, ...summary, ...kept, ...since],
    cutBy: boundary,
    cutOff: path.filter((index) => index < boundary && !isKept.has(index)),
  };
}

function findEdits(transcript: Transcript, given: readonly number[]): Map<number, number> {
  const edits = new Map<number, number>();
  if (!transcript.hasKind('context-edit')) return edits;
  for (const index of given) {
    const target = transcript.kindOf(index) === 'context-edit' ? transcript.targetIndexOf(index) : undefined;
    if (target === undefined) continue;
    // The last edit counts, also where it changes nothing.
    if (transcript.has(index, FLAG.removesTarget) || hasContent(transcript, target)) edits.set(target, index);
    else edits.delete(target);
  }
  return edits;
}

function afterCut(transcript: Transcript, path: readonly number[], cut: number): readonly number[] {
  const boundary = path[cut]!;
  const later = path.slice(cut + 1);
  if (transcript.kindOf(boundary) === 'reset') return [...keptByReset(transcript, path, cut), ...later];
  if (transcript.dialect === 'claude-code') return [boundary, ...withPreserved(transcript, boundary, later)];
  const firstKept = transcript.targetIndexOf(boundary);
  const from = firstKept === undefined ? -1 : path.indexOf(firstKept);
  const kept = from < 0 || from > cut ? [] : path.slice(from, cut);
  // The compaction brings a system message of its own.
  return [boundary, ...kept.filter((index) => transcript.roleOf(index) !== 'system'), ...later];
}

/** A reset may keep the messages from one entry on, of calls and results only those that belong together. */
function keptByReset(transcript: Transcript, path: readonly number[], cut: number): readonly number[] {
  const firstKept = transcript.targetIndexOf(path[cut]!);
  const from = firstKept === undefined ? -1 : path.indexOf(firstKept);
  if (from < 0 || from > cut) return [];
  const calls = new Set<number>();
  return path.slice(from, cut).filter((index) => {
    if (transcript.kindOf(index) !== 'message') return false;
    const role = transcript.roleOf(index);
    if (role === 'toolResult') return calls.delete(transcript.results.idAt(transcript.firstResultOf(index)));
    const first = transcript.firstCallOf(index);
    for (let call = first; call < first + transcript.callCountOf(index); call++)
      calls.add(transcript.calls.idAt(call));
    return role === 'user' || role === 'assistant';
  });
}

/** Older messages that the compaction kept follow its summary. */
function withPreserved(transcript: Transcript, boundary: number, later: readonly number[]): number[] {
  const present = new Set(later);
  const preserved = (preservedLines(transcript, boundary) ?? []).filter((index) => !present.has(index));
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
  if (transcript.has(index, FLAG.outOfContext | FLAG.failed)) return false;
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
