/** A parsed JSON object. */
export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The types of which a conversation is made. Every other type is carried, and only its link counts. */
const CANONICAL = new Set([
  ...['message', 'thinking_level_change', 'model_change', 'compaction', 'reset', 'branch_summary'],
  ...['custom', 'custom_message', 'label', 'session_info'],
]);

export function isCanonical(event: unknown): boolean {
  return isObject(event) && typeof event.type === 'string' && CANONICAL.has(event.type);
}

/** What one event says about its place in the tree. */
export type Place =
  /** `parent` is undefined where the event has no `parentId`: then it follows the leaf. */
  | { kind: 'canonical'; id: string; parent: string | null | undefined; side: boolean; reset: boolean }
  | { kind: 'opaque'; id: string; parent: string | null }
  | {
      kind: 'control';
      id: string;
      parent: string | null;
      target: string | null;
      appendParent: string | null;
    };

/** Null is null, text that is more than blanks is itself, and everything else is no reference. */
function readReference(value: unknown): string | null | undefined {
  if (value === null) return null;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Undefined for an event that has no place: a header, one without an id, one with a broken link. */
export function readPlace(event: unknown): Place | undefined {
  if (!isObject(event) || event.type === 'session') return undefined;
  const id = readReference(event.id);
  if (typeof id !== 'string') return undefined;
  const isLinked = Object.hasOwn(event, 'parentId');
  const parent = isLinked ? readReference(event.parentId) : undefined;
  if (isLinked && parent === undefined) return undefined;
  if (isCanonical(event)) {
    return {
      kind: 'canonical',
      id,
      parent,
      side: event.appendMode === 'side',
      reset: event.type === 'reset',
    };
  }
  if (parent === undefined) return undefined;
  if (event.type !== 'leaf') return { kind: 'opaque', id, parent };
  const target = readReference(event.targetId);
  const appendParent = event.appendParentId === undefined ? target : readReference(event.appendParentId);
  const isKnownMode = event.appendMode === undefined || event.appendMode === 'side';
  if (target === undefined || appendParent === undefined || !isKnownMode) return undefined;
  return { kind: 'control', id, parent, target, appendParent };
}

interface Knot {
  readonly seq: number;
  readonly parent: string | null;
  readonly isControl: boolean;
}

export interface ScannedTree {
  /** From the first entry to the leaf, as sequence numbers; without controls. */
  readonly path: readonly number[];
  /** What the next entry hangs from. */
  readonly appendParent: string | null;
  /** Whether a control moved the leaf. Then an empty path means an empty conversation. */
  readonly isControlled: boolean;
}

/** Reads the events of one session in their order, as OpenClaw does when it computes a session afresh. */
export function scanTree(places: Iterable<{ seq: number; place: Place | undefined }>): ScannedTree {
  const knots = new Map<string, Knot>();
  const refused = new Set<string>();
  /** The last reset and what hangs below it: nothing leads back out. */
  let afterReset: Set<string> | undefined;
  let leaf: string | null = null;
  let appendParent: string | null = null;
  let isControlled = false;

  const isOutside = (id: string | null) => afterReset !== undefined && (id === null || !afterReset.has(id));
  const isKnown = (id: string | null) => id === null || (knots.has(id) && !refused.has(id));

  function add(seq: number, { id }: Place, parent: string | null, isControl = false): void {
    knots.set(id, { seq, parent, isControl });
    if (parent !== null && afterReset?.has(parent)) afterReset.add(id);
  }

  /** A control stands for what it points to. */
  function passControls(start: string | null): string | null {
    const passed = new Set<string>();
    let id = start;
    while (id !== null && !passed.has(id)) {
      const knot = knots.get(id);
      if (!knot?.isControl) return id;
      passed.add(id);
      id = knot.parent;
    }
    return id;
  }

  /** Where an entry of the conversation really hangs: often, but not always, where it says. */
  function settleParent(place: Place & { kind: 'canonical' }): string | null {
    const said = place.parent === undefined ? leaf : place.parent;
    if (place.side) return said;
    if (isOutside(said)) return leaf;
    if (place.parent === undefined) return said;
    const isStale = said !== null && !knots.has(said) && leaf !== null;
    const continuesBesideLeaf = said === appendParent && leaf !== appendParent;
    return isStale || continuesBesideLeaf ? leaf : said;
  }

  for (const { seq, place } of places) {
    if (place === undefined) continue;
    if (place.kind === 'control') {
      const isHeldBack: boolean = leaf !== null && isOutside(place.target);
      const target: string | null = isHeldBack ? leaf : place.target;
      const append: string | null = isHeldBack ? leaf : place.appendParent;
      if (!isKnown(target) || !isKnown(append)) {
        refused.add(place.id);
        knots.set(place.id, { seq, parent: place.parent, isControl: true });
        continue;
      }
      add(seq, place, target, true);
      leaf = target;
      appendParent = append;
      isControlled = true;
      continue;
    }
    if (place.kind === 'opaque') {
      add(seq, place, place.parent);
    } else {
      const parent = passControls(settleParent(place));
      if (place.reset) {
        knots.set(place.id, { seq, parent, isControl: false });
        afterReset = new Set([place.id]);
      } else {
        add(seq, place, parent);
      }
      if (!place.side) leaf = place.id;
    }
    appendParent = place.id;
  }
  return { path: walkBack(knots, leaf), appendParent, isControlled };
}

/** A circle has no path at all; a missing ancestor ends it. */
function walkBack(knots: ReadonlyMap<string, Knot>, leaf: string | null): number[] {
  const path: number[] = [];
  const seen = new Set<string>();
  for (let id = leaf; id !== null; ) {
    if (seen.has(id)) return [];
    seen.add(id);
    const knot = knots.get(id);
    if (knot === undefined) break;
    if (!knot.isControl) path.push(knot.seq);
    id = knot.parent;
  }
  return path.reverse();
}
