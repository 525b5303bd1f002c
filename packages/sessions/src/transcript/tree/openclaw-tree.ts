import { FLAG, type LeafState } from '../entry.ts';
import { ABSENT } from '../formats/dialect.ts';
import { NULL_REF } from '../skim/shape.ts';
import { DANGLING, NO_PARENT, type Transcript } from '../transcript.ts';

/**
 * The parent of each line and the leaf, as OpenClaw reads them. The lines alone do not say it: a
 * `leaf` line moves the end of the conversation, a side entry does not become it, a parent that is not there means the
 * current end, and nothing hangs from what was before the last `reset`.
 */
export function settleOpenclawTree(transcript: Transcript): void {
  const walk = new TreeWalk(transcript);
  for (let i = 0, length = transcript.length; i < length; i++) walk.take(i);
  const { tree, parents, appendParentId } = walk.finish();
  transcript.appendParentId = appendParentId;
  // Lines that OpenClaw finds no place for are read in their order.
  if (tree.leaf === NO_PARENT && !tree.hasLeafControl) return;
  transcript.adoptTree(tree, parents);
}

/** Goes through the lines once. Entries are known by the numbers of their ids. */
class TreeWalk {
  readonly #transcript: Transcript;
  /** By id: the last entry with it that has a place in the tree. */
  readonly #entryOf = new Map<number, number>();
  /** By index: the id of what the entry hangs from. */
  readonly #parents: Int32Array;
  readonly #invalidControls = new Set<number>();
  /** What hangs from the last reset, itself included; undefined before the first. */
  #sinceReset: Set<number> | undefined;
  #leaf = NULL_REF;
  #appendParent = NULL_REF;
  #hasLeafControl = false;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#parents = new Int32Array(transcript.length).fill(ABSENT);
  }

  take(index: number): void {
    const transcript = this.#transcript;
    const id = transcript.idNumberOf(index);
    if (id < 0) return;
    if (transcript.kindOf(index) === 'leaf') {
      this.#takeControl(index, id);
      return;
    }
    const named = transcript.parentNumberOf(index);
    const isCanonical = isCanonicalEntry(transcript, index);
    if (named === ABSENT && !isCanonical) return;
    const isSide = isCanonical && transcript.has(index, FLAG.sideAppend);
    const parent = isCanonical ? this.#passControls(this.#effectiveParent(named, isSide)) : named;
    this.#place(index, id, parent);
    if (transcript.kindOf(index) === 'reset' && isCanonical) this.#sinceReset = new Set([id]);
    else this.#noteSinceReset(id, parent);
    this.#appendParent = id;
    if (isCanonical && !isSide) this.#leaf = id;
  }

  #takeControl(index: number, id: number): void {
    const transcript = this.#transcript;
    const control = transcript.controls.get(index);
    const named = transcript.parentNumberOf(index);
    if (control === undefined || named === ABSENT) return;
    let { target, appendParent } = control;
    const leadsBehindReset = this.#sinceReset !== undefined && !this.#sinceReset.has(target);
    if (leadsBehindReset && this.#leaf !== NULL_REF) {
      target = this.#leaf;
      appendParent = this.#leaf;
    }
    if (!this.#isKnown(target) || !this.#isKnown(appendParent)) {
      this.#invalidControls.add(id);
      this.#place(index, id, named);
      return;
    }
    this.#place(index, id, target);
    this.#noteSinceReset(id, target);
    this.#leaf = target;
    this.#appendParent = appendParent;
    this.#hasLeafControl = true;
  }

  #effectiveParent(named: number, isSide: boolean): number {
    if (named === ABSENT) return this.#leaf;
    if (isSide) return named;
    if (this.#sinceReset !== undefined && !this.#sinceReset.has(named)) return this.#leaf;
    const isMissing = named !== NULL_REF && !this.#entryOf.has(named);
    if (isMissing && this.#leaf !== NULL_REF) return this.#leaf;
    return named === this.#appendParent ? this.#leaf : named;
  }

  /** What hangs from a line that moves the leaf hangs from where that leads. */
  #passControls(parent: number): number {
    const seen = new Set<number>();
    let at = parent;
    while (at !== NULL_REF && !seen.has(at)) {
      const entry = this.#entryOf.get(at);
      if (entry === undefined || !this.#transcript.controls.has(entry)) return at;
      seen.add(at);
      at = this.#parents[entry]!;
    }
    return at;
  }

  #isKnown(id: number): boolean {
    return id === NULL_REF || (this.#entryOf.has(id) && !this.#invalidControls.has(id));
  }

  #place(index: number, id: number, parent: number): void {
    this.#entryOf.set(id, index);
    this.#parents[index] = parent;
  }

  #noteSinceReset(id: number, parent: number): void {
    if (parent !== NULL_REF && this.#sinceReset?.has(parent)) this.#sinceReset.add(id);
  }

  finish(): { tree: LeafState; parents: Int32Array; appendParentId: string | null } {
    const transcript = this.#transcript;
    const parents = this.#parents.map((parent, index) => {
      if (parent >= 0) return this.#entryOf.get(parent) ?? DANGLING;
      return parent === NULL_REF || transcript.idNumberOf(index) >= 0
        ? NO_PARENT
        : transcript.parentOf(index);
    });
    const append = this.#appendParent === NULL_REF ? undefined : this.#entryOf.get(this.#appendParent);
    const tree = {
      leaf: this.#leaf === NULL_REF ? NO_PARENT : (this.#entryOf.get(this.#leaf) ?? NO_PARENT),
      hasLeafControl: this.#hasLeafControl,
      hasInvalidLeafControl: this.#invalidControls.size > 0,
    };
    const appendParentId = append === undefined ? null : (transcript.idOf(append) ?? null);
    return { tree, parents, appendParentId };
  }
}

const CANONICAL_KINDS: ReadonlySet<string> = new Set([
  'thinking-level-change',
  'model-change',
  'compaction',
  'reset',
  'branch-summary',
  'custom',
  'custom-message',
  'label',
  'session-info',
  'oversize',
]);

/**
 * Whether OpenClaw knows such entries; others are carried along, and never become the leaf. Nothing but a message grows too
 * long to be looked into.
 */
export function isCanonicalEntry(transcript: Transcript, index: number): boolean {
  const kind = transcript.kindOf(index);
  return kind === 'message' ? transcript.typeOf(index) === 'message' : CANONICAL_KINDS.has(kind);
}
