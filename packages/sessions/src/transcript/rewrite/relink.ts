import { FLAG } from '../entry.ts';
import { NO_PARENT, type Transcript } from '../transcript.ts';

/** What must be written into kept entries when others go, so that nothing points at an entry that is gone. */
export interface Relinking {
  /**
   * By index of a kept entry: the id of its new parent, null for a root. Of an entry with a logical parent
   * (FLAG.logicalParent), that one.
   */
  readonly parents: ReadonlyMap<number, string | null>;
  /**
   * By index of a kept entry: the id of what it now points at (first kept entry, label, branch or edit target); null
   * where nothing is left and the line has no id of its own to name.
   */
  readonly targets: ReadonlyMap<number, string | null>;
  /**
   * By index of a kept compaction that names its first kept entry by number, as the oldest files do: the new
   * number.
   */
  readonly targetNumbers: ReadonlyMap<number, number>;
  /** By index of a kept line that moves the leaf: the id that the entry after it names as its parent, where that changes. */
  readonly appendParents: ReadonlyMap<number, string | null>;
}

/**
 * A removed entry's children hang from its nearest kept ancestor. What pointed at it points at that ancestor too,
 * with two exceptions: the beginning of what a compaction kept moves to the next kept entry, so that the same
 * messages stay kept, and an edit points at itself, lest it change an entry that it was not made for. A file's checkpoint
 * points at the message of its snapshot, where that is in the same context.
 */
export function planRelinking(transcript: Transcript, isRemoved: (index: number) => boolean): Relinking {
  const parents = new Map<number, string | null>();
  const targets = new Map<number, string | null>();
  const targetNumbers = new Map<number, number>();
  const appendParents = new Map<number, string | null>();
  const nearestKept = findNearestKept(transcript, isRemoved);

  const { length } = transcript;
  for (let i = transcript.behindBlanks(0); i < length; i = transcript.behindBlanks(i + 1)) {
    if (isRemoved(i)) continue;
    const parent = transcript.parentOf(i);
    // A line that names no parent follows the line before it, whichever that is.
    if (parent >= 0 && isRemoved(parent) && !transcript.has(i, FLAG.noParentField)) {
      const kept = nearestKept(parent);
      parents.set(i, kept >= 0 ? (transcript.idOf(kept) ?? null) : null);
    } else if (transcript.tree !== undefined && namesRemoved(i, parent)) {
      // It hangs from another entry than it names.
      parents.set(i, parent >= 0 ? (transcript.idOf(parent) ?? null) : null);
    }
  }
  for (const i of transcript.entriesWithTarget()) {
    const target = isRemoved(i) ? undefined : transcript.targetIndexOf(i);
    if (target === undefined) continue;
    if (transcript.targetOf(i) === undefined) {
      const first = isRemoved(target) ? nextKeptBefore(transcript, target, i, isRemoved) : target;
      targetNumbers.set(i, keptNumber(transcript, first, isRemoved));
    } else if (isRemoved(target)) {
      const moved = moveTarget(i, target);
      const id = transcript.idOf(moved >= 0 ? moved : i);
      // Where nothing is left the leaf is moved to the very beginning.
      if (transcript.kindOf(i) === 'leaf' && moved < 0) targets.set(i, null);
      else if (id !== undefined) targets.set(i, id);
      // A checkpoint whose message is nowhere stays as it is.
      else if (isCheckpoint(transcript, i)) continue;
      // To move the leaf nowhere would mean that nothing was said; a name that leads nowhere is passed over.
      else if (transcript.kindOf(i) === 'sidecar' && !transcript.has(i, FLAG.movesLeaf)) targets.set(i, null);
    }
  }
  for (const [i, { appendParent }] of transcript.controls) {
    const named = isRemoved(i) ? undefined : transcript.entryOfNumber(appendParent);
    if (named === undefined || !isRemoved(named)) continue;
    const kept = nearestKept(named);
    appendParents.set(i, kept >= 0 ? (transcript.idOf(kept) ?? null) : null);
  }
  return { parents, targets, targetNumbers, appendParents };

  function namesRemoved(index: number, parent: number): boolean {
    if (parent >= 0 && transcript.parentNumberOf(index) === transcript.idNumberOf(parent)) return false;
    const id = transcript.parentIdOf(index);
    const named = typeof id === 'string' ? transcript.indexOf(id) : undefined;
    return named !== undefined && isRemoved(named);
  }

  function moveTarget(from: number, target: number): number {
    const kind = transcript.kindOf(from);
    if (kind === 'context-edit') return from;
    const standIn = transcript.entryOfNumber(transcript.standIns.get(from) ?? NO_PARENT);
    if (standIn !== undefined && !isRemoved(standIn) && isAboveInContext(transcript, standIn, target))
      return standIn;
    return (kind === 'compaction' || kind === 'reset') && transcript.dialect !== 'claude-code'
      ? nextKeptBefore(transcript, target, from, isRemoved)
      : nearestKept(target);
  }
}

/** Whether a sidecar ties a saved state of a file to a message. */
export function isCheckpoint(transcript: Transcript, index: number): boolean {
  return transcript.kindOf(index) === 'sidecar' && transcript.typeOf(index).startsWith('file-history-');
}

/** Whether an entry is an ancestor that no compaction cuts off. */
function isAboveInContext(transcript: Transcript, ancestor: number, from: number): boolean {
  const seen = new Set<number>();
  for (let at = from; at >= 0 && !seen.has(at); at = transcript.parentOf(at)) {
    if (at === ancestor) return true;
    if (transcript.kindOf(at) === 'compaction') return false;
    seen.add(at);
  }
  return false;
}

/** For a removed entry: its nearest ancestor that stays, or NO_PARENT. */
function findNearestKept(
  transcript: Transcript,
  isRemoved: (index: number) => boolean,
): (removed: number) => number {
  const known = new Map<number, number>();
  return (removed) => {
    const passed: number[] = [];
    let at = removed;
    while (at >= 0 && isRemoved(at) && !known.has(at)) {
      // Until it is known: a ring of parents ends here.
      known.set(at, NO_PARENT);
      passed.push(at);
      at = transcript.parentOf(at);
    }
    const kept = at < 0 ? NO_PARENT : isRemoved(at) ? known.get(at)! : at;
    for (const index of passed) known.set(index, kept);
    return kept;
  };
}

/** The number that the oldest files give an entry: how many lines of JSON precede it, the header included. */
function keptNumber(transcript: Transcript, entry: number, isRemoved: (index: number) => boolean): number {
  let number = 0;
  for (let i = 0; i < entry; i++) if (transcript.isJson(i) && !isRemoved(i)) number++;
  return number;
}

/**
 * The first kept entry after `target` on the way to the compaction; the compaction itself where nothing older is
 * left.
 */
function nextKeptBefore(
  transcript: Transcript,
  target: number,
  compaction: number,
  isRemoved: (index: number) => boolean,
): number {
  let found = compaction;
  const seen = new Set<number>();
  for (let at = transcript.parentOf(compaction); at >= 0 && at !== target && !seen.has(at); ) {
    seen.add(at);
    if (!isRemoved(at)) found = at;
    at = transcript.parentOf(at);
  }
  return found;
}
