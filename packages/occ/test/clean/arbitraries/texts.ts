import fc from 'fast-check';
import { RawJson } from './spell-json.ts';

/** Texts at the edges of the limits: 120 units, 2 lines, a pair of surrogates where the cut falls. */
const EDGES = [
  '',
  ' ',
  '\n',
  'ok',
  'x'.repeat(119),
  'x'.repeat(120),
  'x'.repeat(121),
  `${'x'.repeat(108)}🦞🦞🦞🦞🦞🦞🦞🦞`,
  `${'x'.repeat(109)}🦞🦞🦞🦞🦞🦞🦞🦞`,
  '🦞'.repeat(60),
  '🦞'.repeat(61),
  'one\ntwo',
  'one\ntwo\n',
  'one\ntwo\nthree',
  'one\r\ntwo\r\nthree',
  'one\rtwo\rthree',
  'a\u2028b\u2029c\u0085d',
  '\n\n\n\n',
  'already [truncated]',
  `${'y'.repeat(200)}[truncated]`,
  `${'y'.repeat(109)}[truncated]`,
  `${'z'.repeat(200)}...`,
  'half of a pair: \ud83e',
  `${'w'.repeat(108)}\ud83e${'w'.repeat(40)}`,
  '\udd9e starts with the other half',
  'tab\tquote"backslash\\slash/nul\u0000end',
  '{"type":"toolCall","id":"call_0"}',
];

export const toolText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EDGES) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 160 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom('a', '\n', '🦞', '"', 'é'), maxLength: 200 }) },
  { weight: 1, arbitrary: fc.nat({ max: 4000 }).map((length) => 'lorem ipsum\n'.repeat(length / 12)) },
);

/** What a person or the assistant says. */
export const spokenText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\n\t', ' '.repeat(40), 'a\u2028b', 'half \ud83e', 'x'.repeat(500)),
  },
);

const SCALARS: fc.Arbitrary<unknown> = fc.oneof(
  toolText,
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, 0.1, new RawJson('1e400'), new RawJson('12345678901234567890'), new RawJson('1.0')),
);

const KEYS = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('path', 'command', 'file_path', 'old_string', 'limit', 'truncated'),
  },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'toString', '', '0', 'é"\\', '...', 'k'.repeat(130)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
);

const members = (value: fc.Arbitrary<unknown>, maxLength: number) =>
  fc.array(fc.tuple(KEYS, value), { maxLength }).map((pairs) => {
    const object: Record<string, unknown> = {};
    for (const [key, member] of pairs) {
      Object.defineProperty(object, key, {
        value: member,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return object;
  });

const nested = fc.oneof(
  { weight: 5, arbitrary: SCALARS },
  { weight: 1, arbitrary: fc.array(SCALARS, { maxLength: 4 }) },
  { weight: 1, arbitrary: members(SCALARS, 3) },
);

/** What a tool is called with: an object, as providers demand, and now and then what they would refuse. */
export const toolArguments: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: members(nested, 4) },
  { weight: 1, arbitrary: fc.constantFrom(null, 'raw arguments', '', 'r'.repeat(300), [], ['a', 1], 7) },
);

/** Data, no form: more numbers than anybody shows. */
const wide = fc
  .constantFrom(30, 300)
  .map((count) =>
    Object.fromEntries(Array.from({ length: count }, (_, number) => [`line${number}`, number])),
  );

/** A value that repeats an output, or anything else that a program keeps beside it. */
export const copyOfOutput: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: members(nested, 4) },
  { weight: 2, arbitrary: toolText },
  { weight: 1, arbitrary: fc.array(members(nested, 2), { maxLength: 3 }) },
  { weight: 1, arbitrary: wide },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, true) },
);
