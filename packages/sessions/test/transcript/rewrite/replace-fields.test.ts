import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceTopLevelFields } from '../../../src/transcript/rewrite/splice.ts';

const keys = fc.constantFrom('parentId', 'id', 'message', 'a"b', 'x\\', '__proto__', '');

it('gives what a parser would, for any object in any layout', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(keys, fc.jsonValue()), { selector: ([key]) => key }),
      keys,
      fc.jsonValue(),
      fc.constantFrom(undefined, 1, '\t'),
      (fields, key, value, indent) => {
        const before = Object.fromEntries(fields);
        const json = JSON.stringify(before, null, indent);
        const text = replaceTopLevelFields(json, new Map([[key, JSON.stringify(value)]]));
        const expected = Object.fromEntries(fields.map(([name, old]) => [name, name === key ? value : old]));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)));
        if (!Object.hasOwn(before, key)) expect(text).toBe(json);
      },
    ),
  );
});

it('changes the value and nothing else', () => {
  const json = '{ "n" : 1.10 , "parentId" :\t"a\\"b" , "parent\\u0049d":[1,{"parentId":2}], "z":"parentId" }';
  expect(replaceTopLevelFields(json, new Map([['parentId', 'null']]))).toBe(
    '{ "n" : 1.10 , "parentId" :\tnull , "parent\\u0049d":null, "z":"parentId" }',
  );
});
