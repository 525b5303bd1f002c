import { parseJSON5 } from 'confbox/json5';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseSettingPath,
  readSetting,
  type SettingPath,
  showSettingPath,
} from '../../src/config/setting-path.ts';
import { setInText, unsetInText } from '../../src/config-editing/edit-text.ts';

const BY_HAND = `// The settings of this machine
{
  agents: {
    defaults: { model: 'script/echo' }, // offline
    list: [
      { id: 'main', name: 'Main' },
      { id: 'ops' } /* at night */
    ],
  },

  /* People */
  'session': {
    dmScope: "main", // all of them
    // mainKey: 'home',
  },
}
// end
`;

const set = (text: string, path: string, value: unknown) => setInText(text, parseSettingPath(path), value);
const unset = (text: string, path: string) => unsetInText(text, parseSettingPath(path));

describe('setting a value', () => {
  it.each<[path: string, value: unknown, from: string, to: string]>([
    ['agents.defaults.model', 'script/demo', "'script/echo'", "'script/demo'"],
    ['agents.list[0].name', "O'Hara", "'Main'", "'O\\'Hara'"],
    ['session.dmScope', 'per-peer', '"main", // all', "'per-peer', // all"],
    [
      'session.mainKey',
      'home',
      "    // mainKey: 'home',\n",
      "    // mainKey: 'home',\n    mainKey: 'home',\n",
    ],
    ['agents.defaults.timeoutSeconds', 5, "'script/echo' }", "'script/echo', timeoutSeconds: 5 }"],
    ['agents.list[1].name', 'Ops', "{ id: 'ops' }", "{ id: 'ops', name: 'Ops' }"],
    [
      'agents.list[2].id',
      'new',
      '} /* at night */\n',
      "}, /* at night */\n      {\n        id: 'new'\n      }\n",
    ],
    [
      'tools.exec.allowlist[0]',
      'ls',
      '  },\n}\n',
      "  },\n  'tools': {\n    exec: {\n      allowlist: ['ls']\n    }\n  },\n}\n",
    ],
  ])('%s', (path, value, from, to) => {
    expect(set(BY_HAND, path, value)).toBe(BY_HAND.replace(from, to));
  });

  it('a value that is there already changes nothing', () => {
    expect(set(BY_HAND, 'agents.list[0]', { id: 'main', name: 'Main' })).toBe(BY_HAND);
  });

  it.each([
    ['', '{\n  "a": {\n    "b": true\n  }\n}\n'],
    ['{}', '{\n  "a": {\n    "b": true\n  }\n}'],
    ['{"x":1}', '{"x":1, "a": { "b": true }}'],
    ['{\n\t"x": 1\n}', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": true\n\t}\n}'],
    ['{\r\n    x: 1,\r\n}', '{\r\n    x: 1,\r\n    a: {\r\n        b: true\r\n    },\r\n}'],
    ['{ // only this\n}', '{ // only this\n  "a": {\n    "b": true\n  }\n}'],
    ['\ufeff{x: 1}', '\ufeff{x: 1, a: { b: true }}'],
    ['{ x: 1, /* y */ }', '{ x: 1, /* y */ a: { b: true }, }'],
    ['{\n  x: 1 }', '{\n  x: 1,\n  a: {\n    b: true\n  }\n}'],
  ])('takes over the style of %j', (text, after) => {
    expect(set(text, 'a.b', true)).toBe(after);
  });

  it.each([
    [
      'agents.defaults.model.primary',
      'agents.defaults.model is a single value, so agents.defaults.model.primary cannot be set',
    ],
    ['agents.list[3].id', 'The list agents.list has 2 items'],
    ['agents.list.main', 'agents.list is a list, so it has no setting main'],
    ['bindings[1].agentId', 'The list bindings has 0 items'],
  ])('refuses %s', (path, message) => {
    expect(() => set(BY_HAND, path, 'x')).toThrow(message);
  });
});

describe('removing a value', () => {
  it.each<[path: string, from: string, to: string]>([
    ['agents.defaults.model', "{ model: 'script/echo' }", '{ }'],
    ['agents.defaults', "    defaults: { model: 'script/echo' }, // offline", '    // offline'],
    ['agents.list[0]', "      { id: 'main', name: 'Main' },\n", ''],
    ['agents.list[0].name', "{ id: 'main', name: 'Main' }", "{ id: 'main' }"],
    ['agents.list[0].id', "{ id: 'main', name: 'Main' }", "{ name: 'Main' }"],
    ['agents.list[1]', "name: 'Main' },\n      { id: 'ops' } /*", "name: 'Main' } /*"],
    ['session.dmScope', '    dmScope: "main", // all of them\n', '    // all of them\n'],
    ['session.mainKey', '', ''],
    ['agents.list[7]', '', ''],
  ])('%s', (path, from, to) => {
    expect(unset(BY_HAND, path)).toBe(BY_HAND.replace(from, to));
  });

  it('a name that is there twice goes twice', () => {
    expect(unset('{ a: 1, b: 2, a: 3 }', 'a')).toBe('{ b: 2 }');
  });
});

it.each([
  'a',
  'a.b',
  'list[0].name',
  'models["openai/gpt-4.1"].alias',
  '["a.b"][3]["\\"c\\""]',
  'groups.*.x',
])('the path %s is read and shown alike', (text) => {
  expect(showSettingPath(parseSettingPath(text))).toBe(text);
});
it.each(['', '.a', 'a..b', 'a.', 'a[x]', 'a[0]b', '[', 'a["b]'])('%j is no path', (text) => {
  expect(() => parseSettingPath(text)).toThrow('is not the path of a setting');
});

// What a file may look like, and edits of it, against the parser that reads it.

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'model', 'x-y', 'null', 'é', '$include'),
  fc.string({ maxLength: 4 }),
);
const comment = fc.constantFrom('', '', '', ' ', '\n', '\n  ', '/* c, } */', '// c, "\n', '\r\n', '\t');
const scalar = fc.oneof(
  fc.constantFrom(
    '1',
    '-0x1F',
    '.5',
    '+2.',
    'true',
    'null',
    "'it\\'s'",
    '"a\\\nb"',
    "'// no'",
    'Infinity',
    '1e3',
  ),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
);
const written = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    group('[', ']', tie('value')),
    group('{', '}', tie('value')),
  ),
})).value;

function group(open: string, close: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const item = fc
    .tuple(comment, name, fc.boolean(), comment, comment, value, comment)
    .map(([c1, key, plain, c2, c3, text, c4]) => {
      if (open === '[') return c1 + text + c4;
      const shown = plain && /^[a-z$]+$/.test(key) && key !== 'null' ? key : JSON.stringify(key);
      return `${c1}${shown}${c2}:${c3}${text}${c4}`;
    });
  return fc
    .tuple(fc.array(item, { maxLength: 4 }), fc.boolean(), comment)
    .map(
      ([items, trails, last]) =>
        open + items.join(',') + (trails && items.length > 0 ? ',' : '') + last + close,
    );
}
const file = fc.tuple(comment, group('{', '}', written), comment).map((parts) => parts.join(''));

/** Paths into a value, and some that go on beyond it. */
function listPaths(value: unknown, path: SettingPath = []): SettingPath[] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const parts = Array.isArray(value) ? [...value.keys(), value.length] : [...Object.keys(value), 'new'];
  return [
    ...(path.length === 0 ? [] : [path]),
    ...parts.flatMap((part) => {
      const at = [...path, part];
      const inner = (value as Record<string | number, unknown>)[part];
      return Object.hasOwn(value, part) ? listPaths(inner, at) : [at, [...at, 'deep'], [...at, 0]];
    }),
  ];
}

function editValue(
  root: unknown,
  path: SettingPath,
  change: (parent: Record<PropertyKey, unknown>, part: string | number) => void,
) {
  const copy = structuredClone(root) as Record<PropertyKey, unknown>;
  let at = copy;
  for (const [index, part] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(at, part)) {
      Object.defineProperty(at, part, {
        value: typeof path[index + 1] === 'number' ? [] : {},
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    at = at[part] as typeof at;
  }
  change(at, path.at(-1)!);
  return copy;
}

describe('any file', () => {
  const options = { numRuns: 400 };
  const quiet = (text: string) => parseJSON5(text);

  it('what is set is read back, and everything else is as before', () => {
    fc.assert(
      fc.property(file, fc.nat(), fc.jsonValue({ maxDepth: 2 }), (text, pick, value) => {
        const before = quiet(text);
        const paths = listPaths(before);
        const path = paths[pick % paths.length]!;
        const after = setInText(text, path, value);
        const expected = editValue(before, path, (parent, part) =>
          Object.defineProperty(parent, part, {
            value,
            enumerable: true,
            writable: true,
            configurable: true,
          }),
        );
        expect(quiet(after)).toEqual(expected);
        expect(setInText(after, path, value)).toBe(after);
      }),
      options,
    );
  });

  it('of a file whose value changes, every byte before and behind the value stays', () => {
    fc.assert(
      fc.property(file, fc.nat(), (text, pick) => {
        const before = quiet(text);
        const paths = listPaths(before).filter((path) => readSetting(before, path) !== undefined);
        fc.pre(paths.length > 0);
        const after = setInText(text, paths[pick % paths.length]!, 31_415_926);
        const at = after.indexOf('31415926');
        expect(text.startsWith(after.slice(0, at))).toBe(true);
        expect(text.endsWith(after.slice(at + 8))).toBe(true);
      }),
      options,
    );
  });

  it('what is unset is gone, and everything else is as before', () => {
    fc.assert(
      fc.property(file, fc.nat(), (text, pick) => {
        const before = quiet(text);
        const paths = listPaths(before).filter((path) => path.at(-1) !== 'deep');
        const path = paths[pick % paths.length]!;
        const after = unsetInText(text, path);
        if (readSetting(before, path) === undefined) {
          expect(after).toBe(text);
          return;
        }
        const expected = editValue(before, path, (parent, part) => {
          if (Array.isArray(parent)) parent.splice(Number(part), 1);
          else delete parent[part];
        });
        expect(quiet(after)).toEqual(expected);
        // Nothing but what was removed: the rest is a subsequence of the old text.
        expect(isWithin(after, text)).toBe(true);
      }),
      options,
    );
  });

  it('a new setting takes nothing away but white space before a bracket', () => {
    fc.assert(
      fc.property(file, (text) => {
        fc.pre(!/(^|[^\\])"added"/.test(text));
        const after = setInText(text, ['added'], 1);
        expect(isWithin(text.replace(/[ \t]+(?=[}\]])/g, ''), after)).toBe(true);
      }),
      options,
    );
  });
});

/** Whether the characters of `part` are in `whole`, in their order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const character of part) {
    at = whole.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
