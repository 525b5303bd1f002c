import fc from 'fast-check';

/** JSON that is written as it stands: numbers that no program could hold, and the like. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** One of the many ways to write the same value. */
export interface Spelling {
  readonly gap: string;
  /** Strings with more escapes than they need. */
  readonly escapes: 'needed' | 'ascii' | 'slashes' | 'letters';
  /** Whether the first character of a key is written as an escape. */
  readonly escapedKeys: boolean;
  /** A key that is written twice wherever it occurs; the last one counts. */
  readonly twice: string | undefined;
  readonly firstOfTwice: 'null' | 'same' | 'empty';
}

const PLAIN: Spelling = {
  gap: '',
  escapes: 'needed',
  escapedKeys: false,
  twice: undefined,
  firstOfTwice: 'null',
};

const TWICE = [
  ...['type', 'id', 'parentId', 'message', 'role', 'content', 'arguments', 'toolCallId', 'details', 'usage'],
  ...['uuid', 'parentUuid', 'input', 'tool_use_id', 'toolUseResult', 'text', 'thinking', 'input_tokens'],
];

export const spelling: fc.Arbitrary<Spelling> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(PLAIN) },
  {
    weight: 2,
    arbitrary: fc.record({
      gap: fc.constantFrom('', ' ', '\t', '  '),
      escapes: fc.constantFrom('needed', 'ascii', 'slashes', 'letters'),
      escapedKeys: fc.boolean(),
      twice: fc.option(fc.constantFrom(...TWICE), { nil: undefined, freq: 2 }),
      firstOfTwice: fc.constantFrom('null', 'same', 'empty'),
    }),
  },
);

export function spellJson(value: unknown, spelling: Spelling = PLAIN): string {
  const { gap } = spelling;
  if (value instanceof RawJson) return value.text;
  if (typeof value === 'string') return spellString(value, spelling);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${gap}${value.map((item) => spellJson(item, spelling)).join(`,${gap}`)}${gap}]`;
  }
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const name = spellKey(key, spelling);
    const json = spellJson(member, spelling);
    if (key === spelling.twice) {
      const first = { null: 'null', same: json, empty: json[0] === '[' ? '[]' : '""' }[spelling.firstOfTwice];
      members.push(`${name}${gap}:${gap}${first}`);
    }
    members.push(`${name}${gap}:${gap}${json}`);
  }
  return `{${gap}${members.join(`${gap},${gap}`)}${gap}}`;
}

function spellString(text: string, { escapes }: Spelling): string {
  const json = JSON.stringify(text);
  if (escapes === 'needed') return json;
  if (escapes === 'slashes') return json.replaceAll('/', '\\/');
  // Not behind a backslash: that letter is part of an escape.
  if (escapes === 'letters')
    return json.replace(/^"[a-z]/, ([quote, letter]) => `${quote}${escapeUnit(letter!)}`);
  return json.replace(/[\u0080-\uffff]/g, escapeUnit);
}

function spellKey(key: string, spelling: Spelling): string {
  if (!spelling.escapedKeys || !/^[a-z]/i.test(key)) return spellString(key, spelling);
  return `"${escapeUnit(key[0]!)}${spellString(key.slice(1), spelling).slice(1)}`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
