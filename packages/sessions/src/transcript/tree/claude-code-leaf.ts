import { FLAG } from '../entry.ts';
import { NO_PARENT, type Transcript } from '../transcript.ts';

/** Lines that are written beside the conversation although they are in its tree. */
const ASIDE: ReadonlySet<string> = new Set(['file_snapshot', 'fork_briefing']);

/**
 * Claude Code records its leaf in `last-prompt` lines. It goes on from its last line, if that follows what the last
 * note names. If not, the note holds: another process wrote to another branch, or the conversation was rewound and
 * nothing was said since.
 * @param pathTo the lines of the conversation that ends in a line
 */
export function findClaudeCodeLeaf(
  transcript: Transcript,
  pathTo: (last: number) => readonly number[],
): number {
  const last = findLastLine(transcript);
  const note = findNote(transcript, last);
  if (note === undefined) return last;
  const target = transcript.targetIndexOf(note.line);
  if (target === undefined) {
    const isCleared = note.rewinds && transcript.targetOf(note.line) === undefined;
    return isCleared ? NO_PARENT : last;
  }
  if (!note.rewinds && isAbove(transcript, target, last)) return last;
  const compaction = findLastCompaction(transcript);
  const isOlder = compaction !== undefined && target < compaction.boundary;
  const isPreserved = isOlder && compaction.preserved.includes(target);
  if (isOlder && compaction.dropsOlder && !isPreserved) return last;
  if (note.rewinds) return target;
  const path = pathTo(last);
  // What is older than the compaction does not lead through it, but for what that kept.
  const leads = isOlder && path.includes(compaction.boundary) ? isPreserved : path.includes(target);
  return leads ? last : target;
}

/** The last line of the main conversation; where all are a subagent's, the last of those. */
function findLastLine(transcript: Transcript): number {
  for (let i = transcript.lastInTree; i >= 0; i--) {
    if (transcript.idOf(i) === undefined || transcript.has(i, FLAG.sidechain)) continue;
    if (!ASIDE.has(transcript.typeOf(i))) return i;
  }
  return transcript.lastInTree;
}

interface Note {
  readonly line: number;
  /** Whether it counts although it names a line on the way to the last one. */
  readonly rewinds: boolean;
}

/** The last note. One from before a compaction says nothing of what follows that. */
function findNote(transcript: Transcript, last: number): Note | undefined {
  let note: Note | undefined;
  for (let i = last + 1; i < transcript.length; i++) {
    if (!isNote(transcript, i)) continue;
    const repeats = note?.rewinds === true && transcript.targetOf(note.line) === transcript.targetOf(i);
    note = { line: i, rewinds: repeats || transcript.has(i, FLAG.movesLeaf) };
  }
  if (note !== undefined) return note;
  for (let i = last; i >= 0 && transcript.kindOf(i) !== 'compaction'; i--) {
    if (isNote(transcript, i)) return { line: i, rewinds: false };
  }
  return undefined;
}

function isNote(transcript: Transcript, index: number): boolean {
  if (transcript.kindOf(index) !== 'sidecar' || transcript.typeOf(index) !== 'last-prompt') return false;
  return transcript.has(index, FLAG.movesLeaf) || transcript.targetOf(index) !== undefined;
}

/** Whether parents lead from a line to one above it on the usual way: each precedes its child, all follow a compaction. */
function isAbove(transcript: Transcript, above: number, line: number): boolean {
  let at = line;
  while (at > above) {
    const parent = transcript.parentOf(at);
    if (parent >= at || transcript.has(at, FLAG.logicalParent)) return false;
    at = parent;
  }
  return at === above;
}

/** What the last compaction of a Claude Code file makes of the lines before it. */
interface LastCompaction {
  /** The line of the compaction. */
  readonly boundary: number;
  /** The older lines that it keeps, in their order. */
  readonly preserved: readonly number[];
  /** Whether no other line before it can be reached any more. */
  readonly dropsOlder: boolean;
}

export function findLastCompaction(transcript: Transcript): LastCompaction | undefined {
  let boundary = transcript.hasKind('compaction') ? transcript.length - 1 : -1;
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
