import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { applyChanges } from '../../src/store/change-document.ts';
import { entryOf, parseDocument, type StoreDocument } from '../../src/store/document.ts';
import { copyJson, freezeJson, isSameJson } from '../../src/store/json-value.ts';
import { printEntry } from '../../src/store/print-entry.ts';
import { reparseDocument } from '../../src/store/reparse-document.ts';
import { findJsonFault } from '../../src/transcript/skim/json-fault.ts';

const parse = (text: string) => parseDocument(Buffer.from(text), 'sessions.json');

/** Every member stands where the document says, and reads as the document says. */
function expectWhole(document: StoreDocument, expected: Map<string, unknown>): void {
  expect(document.members.map(({ key, value }) => [key, value])).toEqual([...expected]);
  document.members.forEach(({ key, value }, at) => {
    const text = document.bytes.toString('utf8', document.starts[at], document.ends[at]);
    expect(Object.entries(JSON.parse(`{${text}}`))).toEqual([[key, value]]);
    expect(document.index.get(key)).toBe(at);
  });
  const again: unknown = JSON.parse(document.bytes.toString('utf8'));
  expect(Object.keys(again as object)).toHaveLength(expected.size);
  for (const [key, value] of expected) expect((again as Record<string, unknown>)[key]).toEqual(value);
}

const keys = fc.oneof(
  fc.constantFrom('a', 'b', 'agent:main:main', '', '__proto__', '1', '10', '2'),
  fc.string({ unit: 'binary' }),
);
const entries = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('sessionId', '{', '"', '}')),
  fc.jsonValue(),
);
const stores = fc.uniqueArray(fc.tuple(keys, fc.oneof({ weight: 5, arbitrary: entries }, fc.jsonValue())), {
  selector: ([key]) => key,
  maxLength: 12,
});
const indents = fc.constantFrom(undefined, 2, '\t');

/** Keeps the order of keys, which an object would not. */
function print(store: readonly (readonly [string, unknown])[], indent: string | number | undefined): string {
  const line = indent === undefined ? '' : '\n';
  const members = store.map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value, null, indent)}`,
  );
  return `{${line}${members.join(`,${line}`)}${line}}`;
}

describe('reading', () => {
  test.each(['2026.1.30', '2026.7.35'])('the store of OpenClaw %s', (version) => {
    const file = new URL(`../../../../fixtures/openclaw-files/${version}/sessions.json`, import.meta.url);
    const content = readFileSync(file);
    const expected = new Map<string, unknown>(Object.entries(JSON.parse(content.toString('utf8'))));
    expectWhole(parseDocument(content, 'sessions.json'), expected);
  });

  test('any store, in any layout, in its own order', () => {
    fc.assert(
      fc.property(stores, indents, (store, indent) => {
        const parsed = store.map(([key, value]): [string, unknown] => [
          key,
          JSON.parse(JSON.stringify(value)),
        ]);
        expectWhole(parse(print(store, indent)), new Map(parsed));
      }),
    );
  });

  test('of equal keys the last one counts', () => {
    const document = parse('{"a":{"n":1},"b":{},"a":{"n":2}}');
    expect(document.members.map(({ key, value }) => [key, value])).toEqual([
      ['b', {}],
      ['a', { n: 2 }],
    ]);
    const next = applyChanges(document, new Map([['b', { changed: true }]]));
    expect(JSON.parse(next.bytes.toString())).toEqual({ b: { changed: true }, a: { n: 2 } });
    const gone = applyChanges(document, new Map([['a', undefined]]));
    expect(JSON.parse(gone.bytes.toString())).toEqual({ b: {} });
  });

  test('a byte order mark is no fault', () => {
    expect(parse('\ufeff{"a":{}}').members).toHaveLength(1);
  });

  test('nesting deeper than the stack is no fault', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const document = parse(`{"deep":{"x":${deep}},"other":{}}`);
    expect(entryOf(document.members[0]!)).toBeDefined();
    copyJson(document.members[0]?.value);
    const next = applyChanges(document, new Map([['other', { changed: true }]]));
    expect(next.bytes.toString()).toContain(deep);
  });
});

describe('changing', () => {
  const changes = fc.array(
    fc.tuple(
      keys.filter((key) => key !== ''),
      fc.option(entries, { nil: undefined }),
    ),
    {
      maxLength: 6,
    },
  );

  test('gives the same store as changing and printing it all', HUNT, () => {
    fc.assert(
      fc.property(stores, indents, changes, (store, indent, list) => {
        const expected = new Map(
          store.map(([key, value]): [string, unknown] => [key, JSON.parse(JSON.stringify(value))]),
        );
        const asked = new Map(list);
        for (const [key, entry] of asked) {
          if (entry === undefined) expected.delete(key);
          else expected.set(key, JSON.parse(JSON.stringify(entry)));
        }
        expectWhole(applyChanges(parse(print(store, indent)), asked), expected);
      }),
      cases({ gate: 40, torture: 3000 }),
    );
  });

  test('leaves every other byte of what OpenClaw wrote, and writes as OpenClaw does', () => {
    const file = new URL('../../../../fixtures/openclaw-files/2026.7.35/sessions.json', import.meta.url);
    const content = readFileSync(file);
    const store = JSON.parse(content.toString('utf8'));
    store['agent:main:clean1'] = { ...store['agent:main:clean1'], label: 'näme\n"x"' };
    store['agent:main:new'] = { sessionId: 'n', updatedAt: 1, list: [], nothing: {} };
    const next = applyChanges(
      parseDocument(content, 'sessions.json'),
      new Map([
        ['agent:main:clean1', store['agent:main:clean1']],
        ['agent:main:new', store['agent:main:new']],
      ]),
    );
    expect(next.bytes.toString()).toBe(JSON.stringify(store, null, 2));
  });

  test('many changes one after another, each of which shares the bytes of the one before', () => {
    const store: Record<string, object> = {};
    for (let at = 0; at < 20; at++) store[`key ${at}`] = { at, text: 'ä' };
    let document = parse(JSON.stringify(store, null, 2));
    for (let change = 0; change < 200; change++) {
      const key = `key ${(change * 7) % 23}`;
      store[key] = { change, text: 'é'.repeat(change % 13) };
      document = applyChanges(document, new Map([[key, store[key]]]));
      expect(Buffer.concat(document.pieces.list).toString()).toBe(JSON.stringify(store, null, 2));
    }
    expectWhole(document, new Map(Object.entries(store)));
  });

  test('a store that begins empty or ends empty is a store', () => {
    const empty = parse(' { } ');
    const one = applyChanges(empty, new Map([['a', { n: 1 }]]));
    expect(one.bytes.toString()).toBe(JSON.stringify({ a: { n: 1 } }, null, 2));
    expect(applyChanges(one, new Map([['a', undefined]])).bytes.toString()).toBe('{}');
  });
});

describe('reading again', () => {
  function expectSameAsFull(known: StoreDocument, content: Buffer): void {
    let full: StoreDocument;
    try {
      full = parseDocument(content, 'p');
    } catch (error) {
      expect(() => reparseDocument(known, content, 'p')).toThrow(error as Error);
      return;
    }
    const again = reparseDocument(known, content, 'p');
    expect(again.members.map(({ key, value }) => [key, value])).toEqual(
      full.members.map(({ key, value }) => [key, value]),
    );
    expect([again.starts, again.ends, again.regular]).toEqual([full.starts, full.ends, full.regular]);
    expect(again.index).toEqual(full.index);
  }

  test('is the same as reading it all, after any change of entries', HUNT, () => {
    fc.assert(
      fc.property(stores, stores, indents, fc.nat(), (store, more, indent, cut) => {
        const known = parse(print(store, indent));
        const at = store.length === 0 ? 0 : cut % store.length;
        const edited = [...store.slice(0, at), ...more.slice(0, 2), ...store.slice(at + (cut % 3))];
        expectSameAsFull(known, Buffer.from(print(edited, indent)));
        expectSameAsFull(known, known.bytes);
      }),
      cases({ gate: 65, torture: 5000 }),
    );
  });

  test('is just as strict, after any damage', HUNT, () => {
    fc.assert(
      fc.property(
        stores,
        indents,
        fc.nat(),
        fc.nat(30),
        fc.string({ maxLength: 4 }),
        (store, indent, from, length, text) => {
          const known = parse(print(store, indent));
          const at = from % (known.bytes.length + 1);
          const damaged = Buffer.concat([
            known.bytes.subarray(0, at),
            Buffer.from(text),
            known.bytes.subarray(at + length),
          ]);
          expectSameAsFull(known, damaged);
        },
      ),
      cases({ gate: 60, torture: 20_000 }),
    );
  });

  test('keeps the very objects of entries that did not change', () => {
    const store = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, { n }]));
    const known = parse(JSON.stringify(store, null, 2));
    const again = reparseDocument(
      known,
      Buffer.from(JSON.stringify({ ...store, k20: { n: 'x' } }, null, 2)),
      'p',
    );
    const kept = again.members.filter((member, at) => member === known.members[at]);
    expect(kept).toHaveLength(49);
  });

  test('notices a number that goes on after what is the same', () => {
    const known = parse('{"a":{},"b":1,"c":{},"d":{}}');
    expectSameAsFull(known, Buffer.from('{"a":{},"b":12,"c":{},"d":{}}'));
    expectSameAsFull(known, Buffer.from('{"a":{},"b":1.,"c":{},"d":{}}'));
    expectSameAsFull(known, Buffer.from('{"a":{},"":1,"c":{},"d":{}}'));
  });
});

describe('what is no JSON', () => {
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  test('is found exactly where JSON.parse finds some', HUNT, () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(5), fc.string({ maxLength: 3 }), (json, from, length, text) => {
        const at = from % (json.length + 1);
        const damaged = json.slice(0, at) + text + json.slice(at + length);
        expect(findJsonFault(Buffer.from(damaged)) === undefined).toBe(parses(damaged));
      }),
      cases({ gate: 500, torture: 30_000 }),
    );
  });

  test.each([
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '"\\x"',
    '"\\u12"',
    '"\n"',
    'nul',
    '[1,]',
    '{"a"}',
    '{,}',
    '{"a":1,}',
    '1 2',
    '',
  ])('%j is a fault', (text) => {
    expect(parses(text)).toBe(false);
    expect(findJsonFault(Buffer.from(text))).toBeDefined();
  });

  test.each(['-0', '1E+9', '[]', '{}', ` ${'9'.repeat(1000)} `, '"\\u00e9\\/"', 'null'])(
    '%j is none',
    (text) => {
      expect(parses(text)).toBe(true);
      expect(findJsonFault(Buffer.from(text))).toBeUndefined();
    },
  );

  test.each([
    ['{\n  "a": {\n    "x": 1,\n  }\n}', { line: 4, column: 3, offset: 25 }],
    ['{"a": {"x": 1', { line: 1, column: 14, offset: 13 }],
    ['{"a": "never ends', { line: 1, column: 7, offset: 6 }],
    ['{}\n\n}', { line: 3, column: 1, offset: 4 }],
  ])('%j is named by its place', (text, place) => {
    expect(findJsonFault(Buffer.from(text))).toMatchObject(place);
  });
});

describe('JSON values', () => {
  test('a copy is equal and apart, and equality agrees with what would be written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const copy = copyJson(freezeJson(one));
        expect(JSON.stringify(copy)).toBe(JSON.stringify(one));
        expect(isSameJson(one, copy)).toBe(true);
        if (JSON.stringify(one) !== JSON.stringify(other) && isSameJson(one, other)) {
          expect(copy).toEqual(other);
        }
      }),
    );
  });

  test('what JSON would change is not the same', () => {
    expect(isSameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(isSameJson({ a: 1 }, { a: 2 })).toBe(false);
    expect(isSameJson([], {})).toBe(false);
    expect(isSameJson({ at: {} }, { at: new Date(0) })).toBe(false);
    expect(isSameJson({ a: undefined, b: 1 }, { a: 1, b: undefined })).toBe(false);
  });
});

describe('the text of an entry', () => {
  /** As a store of one entry has it. */
  const textInStore = (key: string, entry: object) => JSON.stringify({ [key]: entry }, null, 2).slice(4, -2);
  const key = fc.string({ minLength: 1 });

  test('is that of JSON, and so is that of the next version, of which most is printed already', () => {
    fc.assert(
      fc.property(key, fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (key, entry, changed) => {
        const { text, value } = printEntry(key, entry);
        expect(text).toBe(textInStore(key, entry));
        expect(JSON.stringify(value)).toBe(JSON.stringify(entry));
        const next = { ...value, changed };
        expect(printEntry(key, next).text).toBe(textInStore(key, next));
        expect(printEntry(key, value).text).toBe(text);
      }),
    );
  });

  test('has what JSON makes of values that it does not know', () => {
    const odd = {
      at: new Date(0),
      gone: undefined,
      call: () => 1,
      none: Number.NaN,
      zero: -0,
      inside: { at: new Date(0), gone: undefined, list: [undefined, Number.POSITIVE_INFINITY] },
    };
    const { text, value } = printEntry('a', odd);
    expect(text).toBe(textInStore('a', odd));
    expect(value).toStrictEqual({
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      zero: 0,
      inside: { at: '1970-01-01T00:00:00.000Z', list: [null, null] },
    });
    expect(printEntry('a', { toJSON: () => ({ b: 1 }) }).value).toStrictEqual({ b: 1 });
    const named = JSON.parse('{"__proto__": {"a": 1}}');
    expect(printEntry('a', named).text).toBe(textInStore('a', named));
    expect(Object.keys(printEntry('a', named).value)).toStrictEqual(['__proto__']);
    expect(() => printEntry('a', { big: 1n })).toThrow('cannot be written as JSON');
    expect(() => printEntry('a', { toJSON: () => 1 })).toThrow('must be an object');
  });

  test('changes with none of the objects that it was given', () => {
    const entry = { inside: { count: 1 } };
    const { value } = printEntry('a', entry);
    entry.inside.count = 2;
    expect(value).toStrictEqual({ inside: { count: 1 } });
    expect(printEntry('a', { ...value }).text).toContain('"count": 1');
    expect(printEntry('a', entry).text).toContain('"count": 2');
    expect(Object.isFrozen((value as typeof entry).inside)).toBe(true);
  });
});
