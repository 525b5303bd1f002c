import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { lookIntoSessionStore } from '../../src/index.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json');
});

test('the entries as they are written, in their order, without what is no entry', () => {
  const entry = { sessionId: 'a', updatedAt: 1, chatType: 'dm', unknown: { kept: [1] } };
  writeFileSync(
    path,
    `\uFEFF${JSON.stringify({ 'agent:main:b': entry, x: 5, __proto: null, 'agent:main:a': {} })}`,
  );
  expect(lookIntoSessionStore(path)).toEqual([
    { key: 'agent:main:b', entry },
    { key: 'agent:main:a', entry: {} },
  ]);
  expect(readdirSync(folder)).toEqual(['sessions.json']);
});

test('no file is no store', () => {
  expect(lookIntoSessionStore(path)).toBeUndefined();
});

test.each([
  ['{"a":', 'STORE_PARSE_FAILED'],
  ['', 'STORE_PARSE_FAILED'],
  ['[]', 'STORE_NOT_AN_OBJECT'],
])('%j is an error', (content, code) => {
  writeFileSync(path, content);
  expect(() => lookIntoSessionStore(path)).toThrow(expect.objectContaining({ code }));
});

test('a folder in its place is an error', () => {
  mkdirSync(path);
  expect(() => lookIntoSessionStore(path)).toThrow(expect.objectContaining({ code: 'STORE_UNREADABLE' }));
});
