import { expect, it } from 'vitest';
import {
  listElements,
  listMembers,
  seekArray,
  seekMembers,
} from '../../../src/transcript/rewrite/json-text.ts';

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

const BLOCKS =
  '{"id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"]"} , 1],"model":"m"}}';

it('finds an array in a member, with its elements, and looks no further', () => {
  const sought = seekArray(BLOCKS, 0, ['parentId'], 'message', 'content');
  const all = listMembers(BLOCKS, 0, 'message');
  const [role, content] = all[2]!.members!;
  expect(sought?.top).toEqual(all.slice(0, 2));
  expect(sought?.members[0]).toEqual(role);
  expect(sought?.members[1]).toMatchObject({
    key: 'content',
    start: content!.start,
    end: content!.end,
    elements: listElements(BLOCKS, content!.start),
  });
  expect(sought?.members).toHaveLength(2);
});

it.each([
  ['the key that is asked for comes behind', '{"message":{"content":[]},"parentId":"a"}'],
  ['the object comes again', '{"parentId":"a","message":{"content":[]},"message":{}}'],
  ['the array comes again', '{"parentId":"a","message":{"content":[],"content":[1]}}'],
  ['the array comes again with escapes', '{"parentId":"a","message":{"content":[],"\\u0063ontent":[1]}}'],
  ['the array came before with escapes', '{"parentId":"a","message":{"\\u0063ontent":[1],"x":[]}}'],
  ['it is no array', '{"parentId":"a","message":{"content":"x"}}'],
  ['it is in no object', '{"parentId":"a","message":[],"content":[]}'],
  ['there is no object', '{"parentId":"a","content":[]}'],
])('says nothing of an array where %s', (_, json) => {
  expect(seekArray(json, 0, ['parentId'], 'message', 'content')).toBeUndefined();
});
