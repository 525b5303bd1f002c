import { FLAG } from './entry.ts';
import { NO_PARENT, type Transcript } from './transcript.ts';

/**
 * The entry that the next one will hang from, or NO_PARENT. In OpenClaw's and pi's files it is the last entry; in
 * Claude Code's the last one of the main conversation.
 */
export function leafOf(transcript: Transcript): number {
  const last = transcript.lastInTree;
  if (transcript.dialect !== 'claude-code') return last;
  for (let i = last; i >= 0; i--) {
    if (transcript.idOf(i) !== undefined && !transcript.has(i, FLAG.sidechain)) return i;
  }
  return last;
}

export interface ActivePath {
  /** Indices of entries, oldest first. */
  readonly entries: readonly number[];
  /**
   * Set where the walk ended at an entry whose parent is not in the transcript: what came before it is out of
   * reach.
   */
  readonly brokenAt: number | undefined;
}

/** What the conversation is made of when it goes on from `leaf`. */
export function activePath(transcript: Transcript, leaf: number = leafOf(transcript)): ActivePath {
  const entries: number[] = [];
  const seen = new Set<number>();
  let brokenAt: number | undefined;
  for (let at = leaf; at >= 0; at = transcript.parentOf(at)) {
    // Parents that form a ring would never end.
    if (seen.has(at)) {
      brokenAt = at;
      break;
    }
    seen.add(at);
    entries.push(at);
    const parent = transcript.parentOf(at);
    if (parent < 0 && parent !== NO_PARENT) brokenAt = at;
  }
  entries.reverse();
  if (transcript.dialect === 'claude-code') return { entries: withParallelCalls(transcript, seen), brokenAt };
  return { entries: withLinesBetween(transcript, entries), brokenAt };
}

/**
 * A line without an id can be nobody's parent by name: what is written behind it names the entry before it. It was said
 * in between all the same.
 */
function withLinesBetween(transcript: Transcript, path: readonly number[]): number[] {
  return path.flatMap((entry, position) => {
    const lines = [entry];
    const next = path[position + 1] ?? entry;
    for (let i = entry + 1; i < next && transcript.idOf(i) === undefined; i++) {
      if (transcript.has(i, FLAG.noParentField)) lines.push(i);
    }
    return lines;
  });
}

/**
 * Claude Code writes a message with several calls as several lines, each result hanging from its own call, so all
 * but one result, and perhaps calls too, stand beside the path. They are part of the conversation.
 */
function withParallelCalls(transcript: Transcript, path: ReadonlySet<number>): number[] {
  const messages = new Set<number>();
  for (const index of path) {
    const message = transcript.messageOf(index);
    if (message >= 0) messages.add(message);
  }
  const all = new Set(path);
  const calls = new Set<string>();
  for (let i = 0; i < transcript.length; i++) {
    if (transcript.has(i, FLAG.duplicate) || !messages.has(transcript.messageOf(i))) continue;
    all.add(i);
    for (const call of transcript.callsOf(i)) calls.add(call.id);
  }
  for (let i = 0; i < transcript.length; i++) {
    if (all.has(i) || transcript.has(i, FLAG.duplicate) || transcript.resultCountOf(i) === 0) continue;
    if (transcript.resultsOf(i).some((result) => calls.has(result.callId))) all.add(i);
  }
  return [...all].sort((a, b) => a - b);
}

/** The children of every entry, oldest first; those of NO_PARENT are the roots. */
export function childrenOf(transcript: Transcript): (index: number) => readonly number[] {
  const children = new Map<number, number[]>();
  for (let i = 0; i < transcript.length; i++) {
    if (transcript.idOf(i) === undefined && !transcript.has(i, FLAG.noParentField)) continue;
    const parent = Math.max(transcript.parentOf(i), NO_PARENT);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [i]);
    else siblings.push(i);
  }
  return (index) => children.get(index) ?? [];
}
