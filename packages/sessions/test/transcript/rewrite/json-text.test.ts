import { expect, it } from 'vitest';
import { listMembers, seekMembers } from '../../../src/transcript/rewrite/json-text.ts';

const LINE = '{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"x"},"n":1e400}';

it('finds the members that are asked for and looks no further', () => {
  const members = seekMembers(LINE, 0, ['parentId', 'id']);
  expect(members?.map(({ key }) => key)).toEqual(['type', 'id', 'parentId']);
  expect(members).toEqual(listMembers(LINE, 0).slice(0, 3));
});

it.each([
  ['one is not there', '{"id":"b"}'],
  ['one comes again', '{"id":"b","parentId":"a","x":1,"parentId":"c"}'],
  ['one came twice already', '{"parentId":"a","parentId":"c","id":"b"}'],
  ['one may come again inside of a value', '{"id":"b","parentId":"a","message":{"parentId":"c"}}'],
  ['one comes again with escapes', '{"id":"b","parentId":"a","\\u0070arentId":"c"}'],
  ['it is empty', '{}'],
])('says nothing where %s', (_, json) => {
  expect(seekMembers(json, 0, ['parentId', 'id'])).toBeUndefined();
});
