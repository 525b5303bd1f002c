import { StringTable } from './string-table.ts';

/**
 * What to take from a line of JSON, and in which form. A transcript line is mostly text that no caller needs in
 * order to plan with it, so a shape names the few values that matter; everything else is passed over without
 * becoming an object.
 */
export type LeafName =
  /** A string as it is; null as null. */
  | 'text'
  /** A string as its number in the table of the line; null as NULL_REF. */
  | 'ref'
  /** A string, number, boolean or null as it is. */
  | 'scalar'
  /** A number. */
  | 'number'
  /** `true` where the value is the literal true. */
  | 'flag'
  /** `true` where the key is there, whatever its value. */
  | 'present'
  /** The length of a string in UTF-16 units. */
  | 'size'
  /** Like size, and the beginning of the string where it looks machine-made (see HEAD_LENGTH). */
  | 'head'
  /** Adds the length of a string to the slot. */
  | 'sum'
  /** Adds one to the slot. */
  | 'count'
  /** What any value weighs (see weight.ts). */
  | 'weight'
  /** Appends a string to an array in the slot. */
  | 'list';

/** The value of a leaf `ref` where the line says null. */
export const NULL_REF = -1;

export interface Spec {
  readonly leaf?: LeafName;
  /** Names the slot; several specs with one name share it. Default: the path of keys. */
  readonly as?: string;
  readonly fields?: Readonly<Record<string, Spec | LeafName>>;
  /** For arrays: what to take from each element, into the same record. */
  readonly each?: Spec | LeafName;
  /** For arrays: each element that is an object becomes a row of its own. */
  readonly rows?: Spec;
}

/**
 * How much of a string the leaf `head` keeps. Only strings that begin with `<` or `[` have a head: a person's text
 * rarely does. The head of a string of which the runtime wrote all lines (see system-part.ts) is empty.
 */
export const HEAD_LENGTH = 48;

export interface ShapeNode {
  readonly leaf: LeafName | undefined;
  readonly slot: number;
  readonly inRow: boolean;
  readonly opensRow: boolean;
  readonly element: ShapeNode | undefined;
  /** Children by length of their key, so that a key of the line is compared with one or two candidates. */
  readonly byLength: readonly (readonly ShapeKey[] | undefined)[] | undefined;
}

interface ShapeKey {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** A bit that tells this key from its siblings, to notice a key that appears twice. */
  readonly bit: number;
  readonly node: ShapeNode;
}

export interface Shape {
  readonly root: ShapeNode;
  readonly slotCount: number;
  readonly rowSlotCount: number;
  /** The slot of a value of the record; throws for a name that the shape does not have. */
  slot(name: string): number;
  /** The slot of a value of a row. */
  rowSlot(name: string): number;
}

const MAX_SIBLINGS = 31;

class SlotNames {
  readonly names: string[] = [];
  take(name: string, leaf: LeafName | undefined): number {
    const known = this.names.indexOf(name);
    if (known >= 0) return known;
    this.names.push(name);
    // The head of a string is in the slot after its size.
    if (leaf === 'head') this.names.push(`${name}^`);
    return this.names.indexOf(name);
  }
  find(name: string): number {
    const slot = this.names.indexOf(name);
    if (slot < 0) throw new Error(`shape has no slot named ${name}`);
    return slot;
  }
}

export function defineShape(spec: Spec): Shape {
  const record = new SlotNames();
  const row = new SlotNames();

  function compile(given: Spec | LeafName, path: string, inRow: boolean, opensRow = false): ShapeNode {
    const one: Spec = typeof given === 'string' ? { leaf: given } : given;
    const names = inRow ? row : record;
    const slot = one.leaf === undefined ? -1 : names.take(one.as ?? path, one.leaf);
    const element =
      one.rows !== undefined
        ? compile(one.rows, '', true, true)
        : one.each !== undefined
          ? compile(one.each, path, inRow)
          : undefined;
    return {
      leaf: one.leaf,
      slot,
      inRow,
      opensRow,
      element,
      byLength: one.fields && compileKeys(one.fields, path, inRow),
    };
  }

  function compileKeys(fields: Readonly<Record<string, Spec | LeafName>>, path: string, inRow: boolean) {
    const byLength: ShapeKey[][] = [];
    const entries = Object.entries(fields);
    if (entries.length > MAX_SIBLINGS) throw new Error(`a shape object has at most ${MAX_SIBLINGS} keys`);
    for (const [index, [name, child]] of entries.entries()) {
      const bytes = Buffer.from(name, 'latin1');
      const node = compile(child, path === '' ? name : `${path}.${name}`, inRow);
      byLength[bytes.length] ??= [];
      byLength[bytes.length]!.push({ name, bytes, bit: 1 << index, node });
    }
    return byLength;
  }

  const root = compile(spec, '', false);
  return {
    root,
    slotCount: record.names.length,
    rowSlotCount: row.names.length,
    slot: (name) => record.find(name),
    rowSlot: (name) => row.find(name),
  };
}

/** What was taken from one line. The same object is used again for the next line: read it before that. */
export class SkimmedLine {
  readonly values: unknown[];
  readonly rows: unknown[] = [];
  rowCount = 0;
  /** Where strings of the leaf `ref` are. */
  readonly strings: StringTable;
  readonly #rowSlots: number;

  constructor(shape: Shape, strings: StringTable = new StringTable()) {
    this.strings = strings;
    this.values = new Array<unknown>(shape.slotCount).fill(undefined);
    this.#rowSlots = shape.rowSlotCount;
  }

  clear(): void {
    this.values.fill(undefined);
    this.rowCount = 0;
  }

  openRow(): void {
    const from = this.rowCount * this.#rowSlots;
    for (let i = 0; i < this.#rowSlots; i++) this.rows[from + i] = undefined;
    this.rowCount++;
  }

  put(node: ShapeNode, value: unknown): void {
    if (node.inRow) this.rows[(this.rowCount - 1) * this.#rowSlots + node.slot] = value;
    else this.values[node.slot] = value;
  }

  get(node: ShapeNode): unknown {
    return node.inRow ? this.rows[(this.rowCount - 1) * this.#rowSlots + node.slot] : this.values[node.slot];
  }

  putHead(node: ShapeNode, head: string): void {
    if (node.inRow) this.rows[(this.rowCount - 1) * this.#rowSlots + node.slot + 1] = head;
    else this.values[node.slot + 1] = head;
  }

  row(index: number, slot: number): unknown {
    return this.rows[index * this.#rowSlots + slot];
  }
}
