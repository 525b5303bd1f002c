import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { claudeCodeDialect } from '../../src/transcript/formats/claude-code.ts';
import type { Dialect } from '../../src/transcript/formats/dialect.ts';
import { openclawDialect } from '../../src/transcript/formats/openclaw.ts';
import { pick } from '../../src/transcript/skim/pick.ts';
import { defineShape, type Shape, type ShapeNode, SkimmedLine } from '../../src/transcript/skim/shape.ts';
import { Skimmer } from '../../src/transcript/skim/skimmer.ts';

/** What JSON.parse and a walk over the whole value give, or 'broken'. */
function byFullParse(shape: Shape, bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return 'broken';
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'broken';
  const { parsed } = useLines(shape);
  parsed.clear();
  pick(value, shape.root, parsed);
  return snapshot(parsed, shape);
}

/** Everything that was taken. Numbers of strings are made the strings: each way of reading has a table of its own. */
function snapshot(line: SkimmedLine, shape: Shape): unknown {
  const refs = refSlots(shape.root);
  const readable = (slots: ReadonlySet<number>) => (value: unknown, at: number) =>
    typeof value === 'number' && value >= 0 && slots.has(at) ? { ref: line.strings.text(value) } : value;
  return {
    values: line.values.map(readable(refs.record)),
    rows: Array.from({ length: line.rowCount }, (_, row) =>
      line.rows.slice(row * shape.rowSlotCount, (row + 1) * shape.rowSlotCount).map(readable(refs.row)),
    ),
  };
}

function refSlots(node: ShapeNode, found = { record: new Set<number>(), row: new Set<number>() }) {
  if (node.leaf === 'ref') found[node.inRow ? 'row' : 'record'].add(node.slot);
  if (node.element !== undefined) refSlots(node.element, found);
  for (const key of (node.byLength ?? []).flatMap((keys) => keys ?? [])) refSlots(key.node, found);
  return found;
}

/** Skims the line where it really stands: between other lines, at any alignment, in memory that holds old content behind it. */
function bySkimming(shape: Shape, line: Buffer, before = 0): unknown {
  const neighbour = Buffer.from('{"type":"message","text":"a \\"quoted\\" neighbour"}\n');
  const bytes = Buffer.concat([Buffer.alloc(before, 0x20), line, Buffer.from('\n'), neighbour]);
  const { skimmed, skimmer } = useLines(shape);
  const good = skimmer.skim(bytes, before, before + line.length);
  return good ? snapshot(skimmed, shape) : 'broken';
}

interface Lines {
  readonly parsed: SkimmedLine;
  readonly skimmed: SkimmedLine;
  readonly skimmer: Skimmer;
  uses: number;
}
const linesByShape = new Map<Shape, Lines>();

/** Those that hold what lines before this one left, as in a transcript, and now and then new ones: making them takes long. */
function useLines(shape: Shape): Lines {
  let lines = linesByShape.get(shape);
  if (lines === undefined || lines.uses >= 200) {
    const skimmed = new SkimmedLine(shape);
    lines = { parsed: new SkimmedLine(shape), skimmed, skimmer: new Skimmer(shape, skimmed), uses: 0 };
    linesByShape.set(shape, lines);
  }
  lines.uses++;
  return lines;
}

function expectSame(shape: Shape, line: Buffer | string, before = 0): void {
  const bytes = typeof line === 'string' ? Buffer.from(line) : line;
  expect(bySkimming(shape, bytes, before)).toEqual(byFullParse(shape, bytes));
}

const dialects: Dialect[] = [openclawDialect, claudeCodeDialect];

/** Keys that shapes know, so that generated lines hit them at every depth. */
const KNOWN_KEYS = [
  ...[
    'type',
    'id',
    'parentId',
    'message',
    'role',
    'content',
    'usage',
    'input',
    'output',
    'totalTokens',
    'text',
  ],
  ...[
    'thinking',
    'name',
    'arguments',
    'toolCallId',
    'details',
    'summary',
    'version',
    'replacement',
    'targetId',
  ],
  ...['uuid', 'parentUuid', 'isMeta', 'toolUseResult', 'tool_use_id', 'is_error', 'source', 'input_tokens'],
  ...['compactMetadata', 'preservedMessages', 'uuids', 'attachment', 'rendered', 'cwd', '__proto__', ''],
  ...['preservedSegment', 'headUuid', 'anchorUuid', 'leafUuid', 'explicit', 'iterations', 'output_tokens'],
];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'toolCall',
    'text',
    'tool_result',
    '<command-name>/x</command-name>',
    '[x',
    'System: [2026-01-12 12:19:17 PST] 😀 "told"\nSystem: \u0000',
    'System: [2026-01-12 12:19:17 PST] told\n\nwords',
    'System: typed',
    '\u2028\u2029\u0085',
    '\ud83d',
    '"type":"message"',
  ),
  fc.string({ minLength: 50, maxLength: 400, unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '😀', ' ') }),
);
const { line: jsonObject } = fc.letrec<{
  value: unknown;
  object: Record<string, unknown>;
  line: Record<string, unknown>;
}>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...KNOWN_KEYS), text), tie('value'), {
    maxKeys: 6,
  }) as fc.Arbitrary<Record<string, unknown>>,
  line: tie('object') as fc.Arbitrary<Record<string, unknown>>,
}));

describe.each(dialects)('the skimmer takes what a full parse takes ($name)', ({ shape }) => {
  test('from any JSON object, at any alignment', HUNT, () => {
    fc.assert(
      fc.property(jsonObject, fc.nat({ max: 7 }), fc.constantFrom(0, 1, 2), (object, before, indent) => {
        expectSame(
          shape,
          JSON.stringify(object, null, indent === 0 ? undefined : indent).replaceAll('\n', ' '),
          before,
        );
      }),
      cases({ gate: 30, torture: 4000 }),
    );
  });

  test('from lines of a message with its keys in any order', HUNT, () => {
    const message = fc.record({
      type: fc.constantFrom('message', 'user', 'assistant', 'custom', 'session'),
      id: text,
      parentId: fc.option(text),
      message: fc.record({
        role: fc.constantFrom('user', 'assistant', 'toolResult'),
        content: fc.oneof(
          text,
          fc.array(
            fc.record({
              type: fc.constantFrom('text', 'toolCall'),
              text,
              id: text,
              name: text,
              arguments: jsonObject,
            }),
          ),
        ),
        usage: fc.record({ input: fc.nat(), output: fc.nat(), totalTokens: fc.nat(), cost: jsonObject }),
      }),
      uuid: text,
    });
    const shuffled = message.chain((value) =>
      fc
        .shuffledSubarray(Object.entries(value), { minLength: 1 })
        .map((entries) => JSON.stringify(Object.fromEntries(entries))),
    );
    fc.assert(
      fc.property(shuffled, (line) => expectSame(shape, line)),
      cases({ gate: 25, torture: 3000 }),
    );
  });

  test('and calls a damaged line broken exactly where JSON.parse does', HUNT, () => {
    fc.assert(
      fc.property(
        jsonObject,
        fc.nat(),
        fc.nat({ max: 255 }),
        fc.constantFrom('cut', 'flip', 'insert', 'drop'),
        (object, at, byte, damage) => {
          const bytes = Buffer.from(JSON.stringify(object));
          const place = at % bytes.length;
          const damaged =
            damage === 'cut'
              ? bytes.subarray(0, place)
              : damage === 'drop'
                ? Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)])
                : Buffer.concat([
                    bytes.subarray(0, place),
                    Buffer.from([byte]),
                    bytes.subarray(damage === 'flip' ? place + 1 : place),
                  ]);
          expectSame(shape, damaged);
        },
      ),
      cases({ gate: 45, torture: 10_000 }),
    );
  });
});

describe('lines that a quick reader could get wrong', () => {
  const { shape } = openclawDialect;
  const lines = [
    '{}',
    '{ }',
    '  {"type":"message"}  ',
    '{"type":"message","type":"custom"}',
    '{"t\\u0079pe":"message"}',
    '{"type":"mess\\u0061ge"}',
    '{"message":{"role":"user"},"message":{"content":"x"}}',
    '{"type":"message","message":{"role":"user","content":"{\\"type\\":\\"session\\",\\"id\\":\\"x\\"}"}}',
    '{"id":"ends in backslash \\\\"}',
    '{"id":"\\\\\\\\","parentId":"\\\\\\""}',
    '{"id":"bad escape \\q"}',
    '{"id":"bad unicode \\u12g4"}',
    '{"id":"short unicode \\u12"}',
    '{"id":"raw\ttab"}',
    '{"id":"raw\u0000nul"}',
    '{"id":\t"tab between tokens"}',
    '{"version":01}',
    '{"version":1.}',
    '{"version":-}',
    '{"version":.5}',
    '{"version":1e5}',
    '{"version":-0}',
    '{"version":1E+400}',
    '{"version":12345678901234567890}',
    '{"version":tru}',
    '{"version":truely}',
    '{"version":nul}',
    '{"version":NaN}',
    '{"id":"x",}',
    '{"id":"x"',
    '{"id":"x"}}',
    '{"id":"x"} {"id":"y"}',
    '{"id" "x"}',
    "{'id':'x'}",
    '{"id":"unterminated',
    '[{"id":"x"}]',
    '"just text"',
    'null',
    '42',
    '',
    '   ',
    `{"message":{"content":${'['.repeat(500)}${']'.repeat(500)}}}`,
    `{"message":{"details":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}}`,
    '{"message":{"content":[1,"two",null,{"type":"text","text":"three"},[{"type":"text"}]]}}',
    '{"message":{"content":[{"type":"toolCall","id":"a","name":"b","arguments":{"k":[1,{"x":"\\n"}]}}]}}',
  ];
  test.each(lines)('%s', (line) => {
    expectSame(shape, line);
  });

  test('a line that ends where old content goes on', () => {
    const into = new SkimmedLine(shape);
    const skimmer = new Skimmer(shape, into);
    const bytes = Buffer.from('{"id":"abc","version":12345}');
    // The line was cut after the 2; what follows in memory would complete it.
    expect(skimmer.skim(bytes, 0, 24)).toBe(false);
    expect(skimmer.skim(bytes, 0, bytes.length)).toBe(true);
  });

  test('bytes that are not UTF-8 count as JSON.parse decodes them', () => {
    for (const bad of [
      [0xff],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xe2, 0x5c, 0x6e],
    ]) {
      expectSame(shape, Buffer.concat([Buffer.from('{"summary":"<a'), Buffer.from(bad), Buffer.from('b"}')]));
      expectSame(
        claudeCodeDialect.shape,
        Buffer.concat([Buffer.from('{"message":{"content":"<'), Buffer.from(bad), Buffer.from('b"}}')]),
      );
    }
  });

  const pieces = ['\\n', '\\\\', '\\"', '\\\\\\"', '\\u00e9', '\\u0', '\\x', 'é', '😀', '\u0001', '"', '\\'];
  test.each(pieces)('%j at every place of a long string', (piece) => {
    for (let before = 0; before < 140; before++) {
      for (const after of [0, 1, 70]) {
        const text = `${'a'.repeat(before)}${piece}${'b'.repeat(after)}`;
        expectSame(shape, `{"summary":"${text}","id":"${text}","type":"${text}"}`);
        expectSame(shape, `{"details":{"${text}":"${text}"},"id":"${text}`);
      }
    }
  });

  test('lines of any length, with strings that others have too', () => {
    const into = new SkimmedLine(shape);
    const skimmer = new Skimmer(shape, into);
    const id = shape.slot('id');
    const parentId = shape.slot('parentId');
    const seen = (length: number, of: string) => {
      const line = Buffer.from(
        `{"type":"message","id":"${of}","parentId":"\\u0041${of}","summary":"${'x'.repeat(length)}"}`,
      );
      expect(skimmer.skim(line, 0, line.length)).toBe(true);
      expect(into.values[shape.slot('type')]).toBe('message');
      expect(into.values[shape.slot('summary')]).toBe(length);
      expect(into.strings.text(into.values[id] as number)).toBe(of);
      expect(into.strings.text(into.values[parentId] as number)).toBe(`A${of}`);
      return into.values[id];
    };
    const first = seen(10, 'one');
    for (const length of [300_000, 5_000_000, 600_000, 20]) {
      expect(seen(length, 'one')).toBe(first);
      expect(seen(length, `other ${length}`)).not.toBe(first);
    }
  });

  test('more blocks than usual', () => {
    const block = '{"type":"toolCall","id":"a","name":"b","arguments":{"path":"c"}}';
    expectSame(shape, `{"message":{"content":[${Array(5000).fill(block).join(',')}]}}`);
  });

  test('a table that grows while a line is read', () => {
    const into = new SkimmedLine(shape);
    const skimmer = new Skimmer(shape, into);
    const rowId = shape.rowSlot('id');
    for (let line = 0; line < 60; line++) {
      const ids = Array.from(
        { length: 500 },
        (_, block) => `line ${line} block ${block}${'\\n'.repeat(block % 2)}`,
      );
      const blocks = ids.map((id) => `{"type":"toolCall","id":"${id}"}`);
      const bytes = Buffer.from(`{"message":{"content":[${blocks.join(',')}]}}`);
      expect(skimmer.skim(bytes, 0, bytes.length)).toBe(true);
      const read = ids.map((_, block) => into.strings.text(into.row(block, rowId) as number));
      expect(read).toEqual(ids.map((id) => JSON.parse(`"${id}"`)));
    }
  });

  test('memory that was refilled is read anew', () => {
    const into = new SkimmedLine(shape);
    const skimmer = new Skimmer(shape, into);
    const bytes = Buffer.from('{"id":"one"}');
    expect(skimmer.skim(bytes, 0, bytes.length)).toBe(true);
    bytes.write('{"id":"t\\"o"', 0);
    expect(skimmer.skim(bytes, 0, bytes.length)).toBe(false);
    bytes.write('{"id":"\\"\\""', 0);
    bytes.write('}', 11);
    expect(skimmer.skim(bytes, 0, bytes.length)).toBe(false);
  });
});

test('a shape refuses names it does not have', () => {
  const shape = defineShape({ fields: { a: 'text' } });
  expect(() => shape.slot('b')).toThrow('no slot named b');
});
