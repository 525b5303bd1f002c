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

test('fields that are not needed are left out of a store in the usual layout, and nothing else', () => {
  const tricky = '\n    }\n    "skillsSnapshot": {\n';
  const entry = {
    sessionId: 'a',
    skillsSnapshot: { prompt: tricky, skills: [{ name: '}' }], version: 0 },
    label: tricky,
    origin: { skillsSnapshot: { kept: true } },
    systemPromptReport: {},
  };
  const stored = { 'agent:main:a': entry, 'agent:main:b': { ...entry, skillsSnapshot: undefined } };
  writeFileSync(path, JSON.stringify(stored, null, 2));
  const needless = ['skillsSnapshot', 'systemPromptReport'] as const;
  const [first, second] = lookIntoSessionStore(path, needless)!;
  expect(first).toEqual({ key: 'agent:main:a', entry: { ...entry, skillsSnapshot: null } });
  expect(second).toEqual({ key: 'agent:main:b', entry: { ...entry, skillsSnapshot: undefined } });

  writeFileSync(path, JSON.stringify(stored));
  expect(lookIntoSessionStore(path, needless)![0]!.entry).toEqual(entry);
});

test('what is wrong with a store is said of the whole file', () => {
  const text = JSON.stringify({ 'agent:main:a': { skillsSnapshot: { prompt: 'x' } } }, null, 2);
  writeFileSync(path, `${text.slice(0, -1)}!`);
  expect(() => lookIntoSessionStore(path, ['skillsSnapshot'])).toThrow(`byte ${text.length - 1} of`);
});

test('a field that begins alike, at the end of a store', () => {
  const stored = { 'agent:main:a': { skillsSnapshot: { prompt: 'x' } }, 'agent:main:b': { s: 1 } };
  writeFileSync(path, JSON.stringify(stored, null, 2));
  const found = lookIntoSessionStore(path, ['skillsSnapshot', 'systemPromptReport'])!;
  expect(found.map(({ entry }) => entry)).toEqual([{ skillsSnapshot: null }, { s: 1 }]);
});
