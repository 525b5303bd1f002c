import { FLAG } from '../entry.ts';
import { NO_PARENT, type Transcript } from '../transcript.ts';
import { findClaudeCodeLeaf } from './claude-code-leaf.ts';

/**
 * The entry that the next one will hang from, or NO_PARENT. In OpenClaw's and pi's files it is the last entry, unless
 * lines of OpenClaw's move it; Claude Code's name the leaf of the main conversation.
 */
export function leafOf(transcript: Transcript): number {
  if (transcript.tree !== undefined) return transcript.tree.leaf;
  if (transcript.dialect !== 'claude-code') return transcript.lastInTree;
  const known = claudeLeaves.get(transcript);
  if (known !== undefined) return known;
  const leaf = findClaudeCodeLeaf(transcript, (last) => activePath(transcript, last).entries);
  claudeLeaves.set(transcript, leaf);
  return leaf;
}

/** A finished transcript does not change, and many callers ask for its leaf and its path. */
const claudeLeaves = new WeakMap<Transcript, number>();
const activePaths = new WeakMap<Transcript, ActivePath>();

interface ActivePath {
  /** Indices of entries, oldest first. */
  readonly entries: readonly number[];
  /**
   * Set where the walk ended at an entry whose parent is not in the transcript: what came before it is out of
   * reach.
   */
  readonly brokenAt: number | undefined;
}

/** What the conversation is made of when it goes on from `leaf`. */
export function activePath(transcript: Transcript, leaf?: number): ActivePath {
  if (leaf !== undefined) return walkUp(transcript, leaf);
  let path = activePaths.get(transcript);
  if (path === undefined) {
    path = walkUp(transcript, leafOf(transcript));
    activePaths.set(transcript, path);
  }
  return path;
}

function walkUp(transcript: Transcript, leaf: number): ActivePath {
  const entries: number[] = [];
  const seen = new Uint8Array(transcript.length);
  let brokenAt: number | undefined;
  const hasLeaves = transcript.hasKind('leaf');
  for (let at = leaf; at >= 0; ) {
    // Parents that form a ring would never end.
    if (seen[at] === 1) {
      brokenAt = at;
      break;
    }
    seen[at] = 1;
    if (!hasLeaves || transcript.kindOf(at) !== 'leaf') entries.push(at);
    const parent = transcript.parentOf(at);
    if (parent < 0 && parent !== NO_PARENT) brokenAt = at;
    at = parent;
  }
  entries.reverse();
  if (transcript.dialect === 'claude-code')
    return { entries: withParallelCalls(transcript, entries), brokenAt };
  if (transcript.tree !== undefined) return { entries, brokenAt };
  return { entries: withLinesBetween(transcript, entries), brokenAt };
}

/**
 * No line can name a line without an id as its parent: what is written behind it names the entry before it. It was said
 * in between all the same.
 */
function withLinesBetween(transcript: Transcript, path: readonly number[]): readonly number[] {
  // Where every line of the path follows the one before it, nothing is in between.
  if (path.length === 0 || path.at(-1)! - path[0]! === path.length - 1) return path;
  const entries: number[] = [];
  for (let position = 0; position < path.length; position++) {
    const entry = path[position]!;
    entries.push(entry);
    const next = position + 1 < path.length ? path[position + 1]! : entry;
    for (let i = entry + 1; i < next && transcript.idOf(i) === undefined; i++) {
      if (transcript.has(i, FLAG.noParentField)) entries.push(i);
    }
  }
  return entries;
}

/**
 * Claude Code writes a message with several calls as several lines, each result hanging from its own call, so all
 * but one result, and perhaps calls too, are beside the path. They are part of the conversation.
 */
function withParallelCalls(transcript: Transcript, path: readonly number[]): number[] {
  const messages = new Set<number>();
  const isIn = new Uint8Array(transcript.length);
  for (const index of path) {
    isIn[index] = 1;
    const message = transcript.messageOf(index);
    if (message >= 0) messages.add(message);
  }
  const calls = new Set<number>();
  for (let i = 0, length = transcript.length; i < length; i++) {
    const message = transcript.messageOf(i);
    if (message < 0 || transcript.has(i, FLAG.duplicate) || !messages.has(message)) continue;
    isIn[i] = 1;
    const first = transcript.firstCallOf(i);
    for (let call = first; call < first + transcript.callCountOf(i); call++)
      calls.add(transcript.calls.idAt(call));
  }
  const all: number[] = [];
  for (let i = 0, length = transcript.length; i < length; i++) {
    if (isIn[i] === 1 || answersAny(transcript, i, calls)) all.push(i);
  }
  return all;
}

function answersAny(transcript: Transcript, index: number, calls: ReadonlySet<number>): boolean {
  const count = transcript.resultCountOf(index);
  if (count === 0 || transcript.has(index, FLAG.duplicate)) return false;
  const first = transcript.firstResultOf(index);
  for (let result = first; result < first + count; result++) {
    if (calls.has(transcript.results.idAt(result))) return true;
  }
  return false;
}

/** The children of every entry, oldest first; those of NO_PARENT are the roots. */
export function childrenOf(transcript: Transcript): (index: number) => readonly number[] {
  const children = new Map<number, number[]>();
  for (let i = 0, length = transcript.length; i < length; i++) {
    if (transcript.idOf(i) === undefined && !transcript.has(i, FLAG.noParentField)) continue;
    const parent = Math.max(transcript.parentOf(i), NO_PARENT);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [i]);
    else siblings.push(i);
  }
  return (index) => children.get(index) ?? [];
}
