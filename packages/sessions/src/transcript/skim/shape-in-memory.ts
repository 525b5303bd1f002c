import type { Kernel } from './kernel.ts';
import type { LeafName, Shape, ShapeNode } from './shape.ts';

/** As assembly/skim.ts numbers them. */
const LEAVES: Readonly<Record<LeafName, number>> = {
  text: 1,
  ref: 2,
  scalar: 3,
  number: 4,
  flag: 5,
  present: 6,
  size: 7,
  head: 8,
  sum: 9,
  count: 10,
  weight: 11,
  list: 12,
};
const NODE_SIZE = 28;
const KEY_SIZE = 12;
const MAX_KEY = 31;

export interface PlacedShape {
  /** The address of the root. */
  readonly root: number;
  /** Events name nodes by their place in here. */
  readonly nodes: readonly ShapeNode[];
}

/** Lays a shape out in a kernel's memory, as assembly/skim.ts reads it. */
export function placeShape(shape: Shape, kernel: Kernel): PlacedShape {
  const nodes: ShapeNode[] = [];

  function placeNode(node: ShapeNode): number {
    const at = kernel.code.allocate(NODE_SIZE);
    const number = nodes.push(node) - 1;
    const leaf = node.leaf === undefined ? 0 : LEAVES[node.leaf];
    const element = node.element === undefined ? 0 : placeNode(node.element);
    const keys = node.byLength === undefined ? 0 : placeKeys(node.byLength);
    kernel.figures.set([leaf, number, element, keys, node.opensRow ? 1 : 0], at >> 2);
    return at;
  }

  function placeKeys(byLength: NonNullable<ShapeNode['byLength']>): number {
    if (byLength.length > MAX_KEY + 1) throw new Error(`a key of a shape has at most ${MAX_KEY} characters`);
    const lists = kernel.code.allocate(4 * (MAX_KEY + 1));
    for (const [length, keys = []] of byLength.entries()) {
      let next = 0;
      for (const { bytes, bit, node } of keys) {
        const at = kernel.code.allocate(KEY_SIZE + bytes.length);
        const child = placeNode(node);
        kernel.figures.set([next, bit, child], at >> 2);
        kernel.bytes.set(bytes, at + KEY_SIZE);
        next = at;
      }
      kernel.figures[(lists >> 2) + length] = next;
    }
    return lists;
  }

  const root = placeNode(shape.root);
  return { root, nodes };
}
