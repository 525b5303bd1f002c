import { expect, it } from 'vitest';
import { listMisfits, type ResultShape } from '../../src/command-line/result-shape.ts';

const SHAPE: ResultShape = {
  mode: "'edit' | 'clone' - what it did",
  'note?': 'string',
  count: 'number | null',
  parts: [{ name: 'string' }],
  byName: { '[name]': 'number' },
  done: 'true',
  rest: 'any',
};
const VALUE = { mode: 'edit', count: null, parts: [{ name: 'x' }], byName: { a: 1 }, done: true, rest: [1] };

it('a value that fits', () => {
  expect(listMisfits(SHAPE, VALUE)).toEqual([]);
  expect(listMisfits(SHAPE, { ...VALUE, note: 'x', count: 3, parts: [], byName: {} })).toEqual([]);
});

it.each([
  [{ mode: 'restore' }, "$.mode: \"restore\" is not 'edit' | 'clone' - what it did"],
  [{ note: 1 }, '$.note: 1 is not string'],
  [{ count: undefined }, '$.count: missing'],
  [{ parts: [{ name: 'x' }, {}] }, '$.parts[1].name: missing'],
  [{ parts: {} }, '$.parts: not an array'],
  [{ byName: { a: 'x' } }, '$.byName.a: "x" is not number'],
  [{ byName: [] }, '$.byName: not an object'],
  [{ done: false }, '$.done: false is not true'],
  [{ more: 1 }, '$.more: not in the shape'],
])('%j does not fit', (change, misfit) => {
  expect(listMisfits(SHAPE, { ...VALUE, ...change })).toEqual([misfit]);
});
