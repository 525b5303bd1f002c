/** Ids and values that no program should write, and that JSON allows. */
import fc from 'fast-check';
import { RawJson } from '../clean/arbitraries/spell-json.ts';

type Json = Record<string, unknown>;

/** A line in whose text ids are replaced, or values added. Numbers choose lines. */
interface Oddity {
  /** JSON of the new id, which ends in the number of the line; undefined leaves it. */
  readonly id: string | undefined;
  /** JSON of a value, and the member that has it. */
  readonly value: string;
  readonly member: (typeof MEMBERS)[number];
  readonly at: number;
}

const MANY = [1, 2, 100, 1500, 4000];

/** Ids of which lines may have one each, without their quotes. */
const IDS = [
  ...['\\u0041', '\\"', '\\\\', '\\/', '\\n', '\\u0000', '\\ud83e', '\\u2028', '\u2028', 'é', '😀'],
  ...['', ' ', '\ufeff', '__proto__', 'constructor', 'id ', 'line '],
];
/** What is no id at all. */
const NO_IDS = ['7', 'null', '""', '" "', '{}', '["a"]', 'true', '1e400', '"__proto__"'];

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const VALUES = [
  ...['1e400', '-0', '12345678901234567890', '0.1e-999', '"\\ud83e"', '"\\u0000"', '"\u2028\u2029"'],
  ...[nested(199), nested(201), nested(5000), `${'{"a":'.repeat(3000)}0${'}'.repeat(3000)}`],
  ...['{"__proto__":{"x":1}}', '{"":0,"":1}', `"${'\\u0041'.repeat(3000)}"`, '"\ufeff"', 'null', '[]', '""'],
];
const MEMBERS = ['odd', 'timestamp', 'type', 'message', 'details', 'customType', '__proto__'] as const;

export const oddities: fc.Arbitrary<Oddity[]> = fc.array(
  fc.record({
    id: fc.option(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc
            .tuple(fc.constantFrom(...IDS), fc.constantFrom(...MANY))
            .map(([unit, times]) => unit.repeat(times)),
        },
        { weight: 1, arbitrary: fc.constantFrom(...NO_IDS).map((json) => `=${json}`) },
      ),
      { nil: undefined, freq: 4 },
    ),
    value: fc.constantFrom(...VALUES),
    member: fc.constantFrom(...MEMBERS),
    at: fc.nat({ max: 200 }),
  }),
  { maxLength: 6 },
);

/** @param idField of the lines; ids of calls are among those that are replaced */
export function addOddities(lines: readonly Json[], odd: readonly Oddity[], idField: string): Json[] {
  if (lines.length === 0) return [];
  const replaced = new Map<string, RawJson>();
  const added = new Map<number, Json>();
  for (const [number, { id, value, member, at }] of odd.entries()) {
    const index = at % lines.length;
    const line = lines[index]!;
    const old = at % 3 === 0 ? callIdOf(line) : line[idField];
    if (id === undefined) added.set(index, { [member]: new RawJson(value) });
    else if (typeof old === 'string' && line.type !== 'session')
      replaced.set(old, new RawJson(id.startsWith('=') ? id.slice(1) : `"${id}${number}"`));
  }
  return lines.map((line, index) => {
    const renamed = Object.fromEntries(
      Object.entries(line).map(([name, value]) => [name, replaceIn(value, replaced)]),
    );
    return { ...renamed, ...(line.type === 'session' ? {} : added.get(index)) };
  });
}

function callIdOf({ message }: Json): unknown {
  const { toolCallId, content } = (message ?? {}) as { toolCallId?: unknown; content?: unknown };
  const blocks = Array.isArray(content) ? (content as Json[]) : [];
  return toolCallId ?? blocks.map((block) => block?.tool_use_id ?? block?.id).find((id) => id !== undefined);
}

function replaceIn(value: unknown, replaced: ReadonlyMap<string, RawJson>): unknown {
  if (typeof value === 'string') return replaced.get(value) ?? value;
  if (value === null || typeof value !== 'object' || value instanceof RawJson) return value;
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replaced));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceIn(member, replaced)]),
  );
}

/** Between lines. */
const CHUNKS = [
  '\n'.repeat(9000),
  ' \r\n'.repeat(5000),
  '\u0000\u0000\n',
  '\ufeff\n',
  '\u2028\n',
  '\r\r\n',
  '\ufffd\n',
];

const chunks = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...CHUNKS)), { maxLength: 2 });

/** The bytes of a file with chunks of no use between its lines. */
export function withChunks(files: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc.tuple(files, chunks).map(([bytes, inserted]) =>
    inserted.reduce((file, [line, chunk]) => {
      let at = file.indexOf(0x0a) + 1;
      for (let n = 0; n < line && file.indexOf(0x0a, at) >= 0; n++) at = file.indexOf(0x0a, at) + 1;
      return Buffer.concat([file.subarray(0, at), Buffer.from(chunk), file.subarray(at)]);
    }, bytes),
  );
}
