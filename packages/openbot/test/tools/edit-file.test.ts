import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { beforePathCalls } from '../../../sessions/test/setup/node-faults.ts';
import { editFile } from '../../src/tools/edit-file.ts';
import { ToolBench } from './tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench(editFile);
});
const edit = (oldText: string, newText: string, more: object = {}) =>
  bench.run({ path: 'a.txt', oldText, newText, ...more });
const content = () => readFileSync(bench.inside('a.txt'), 'utf8');

it('replaces the one occurrence, and nothing in it is a pattern', async () => {
  bench.write('a.txt', 'price: $1 (was $&)\nend\n');
  await expect(edit('$1 (was $&)', '$& and $`')).resolves.toEqual({
    text: 'Replaced 1 occurrence in a.txt.',
    isError: false,
  });
  expect(content()).toBe('price: $& and $`\nend\n');
  expect(readdirSync(bench.workspaceDir)).toEqual(['a.txt']);
});

it('replaces every occurrence with replaceAll, also where they touch', async () => {
  bench.write('a.txt', 'aaaa b aa');
  await expect(edit('aa', 'c', { replaceAll: true })).resolves.toMatchObject({
    text: 'Replaced 3 occurrences in a.txt.',
  });
  expect(content()).toBe('cc b c');
});

it('refuses to make a file too large, and leaves it as it is', async () => {
  const before = 'a'.repeat(1024);
  bench.write('a.txt', before);
  const { text, isError } = await edit('a', 'ä'.repeat(6 * 1024), { replaceAll: true });
  expect(isError).toBe(true);
  expect(text).toBe(
    'a.txt would become too large: 12582912 bytes. The limit is 10485760 bytes. Nothing was changed.',
  );
  expect(content()).toBe(before);
});

it('names the lines of a text that occurs several times, and changes nothing', async () => {
  bench.write('a.txt', 'x\ny\nx\n\nx\n');
  const { text, isError } = await edit('x', 'z');
  expect(isError).toBe(true);
  expect(text).toContain('occurs 3 times in a.txt (lines 1, 3, 5)');
  expect(content()).toBe('x\ny\nx\n\nx\n');
});

it.each([
  ['other words', 'three', /does not have the text oldText\. Nothing/],
  ['other spaces', 'one  two', /Only its spaces or line ends differ/],
  ['half a character', '\ud83d', /does not have/],
  ['nothing', '', /oldText is empty/],
  ['the same', 'one', /nothing would change/],
])('refuses %s', async (_what, oldText, message) => {
  bench.write('a.txt', 'one two 😀\n');
  const { text, isError } = await edit(oldText, 'one');
  expect({ text, isError }).toEqual({ text: expect.stringMatching(message), isError: true });
  expect(content()).toBe('one two 😀\n');
});

it.each([
  ['Windows', '\ufeffone\r\ntwo\r\nthree\r\n', '\ufeffone\r\n2\r\n3\r\n'],
  ['Unix', 'one\ntwo\nthree\n', 'one\n2\n3\n'],
  ['mostly Unix', 'zero\r\none\ntwo\nthree\n', 'zero\r\none\n2\n3\n'],
])('keeps the line ends of a file from %s', async (_what, before, after) => {
  bench.write('a.txt', before);
  await expect(edit('two\nthree', '2\n3')).resolves.toMatchObject({ isError: false });
  expect(content()).toBe(after);
});

it('keeps the rights of the file, and edits the file that a link inside means', async () => {
  bench.write('a.txt', '#!/bin/sh\n');
  chmodSync(bench.inside('a.txt'), 0o755);
  symlinkSync('a.txt', bench.inside('link'));
  await expect(edit('sh', 'bash', { path: 'link' })).resolves.toMatchObject({ isError: false });
  expect(content()).toBe('#!/bin/bash\n');
  expect(statSync(bench.inside('a.txt')).mode & 0o777).toBe(0o755);
});

it.each([
  ['a missing file', 'none/b.txt', /There is no file none\/b\.txt/],
  ['a folder', 'folder', /is a folder/],
  ['the workspace', '.', /not the name of a file/],
  ['binary content', 'binary', /not a text file/],
  ['another encoding', 'latin1', /not a text file in UTF-8/],
  ['a file above the limit', 'large', /too large/],
])('refuses %s', async (_what, path, message) => {
  bench.write('folder/x', '');
  bench.write('binary', Buffer.from([1, 0, 2]));
  bench.write('latin1', Buffer.from('gr\xfcn x', 'latin1'));
  bench.write('large', Buffer.alloc(10 * 1024 * 1024 + 1, 0x61));
  const { text, isError } = await edit('x', 'y', { path });
  expect({ text, isError }).toEqual({ text: expect.stringMatching(message), isError: true });
});

it('does not overwrite what another program wrote meanwhile', async () => {
  const path = bench.write('a.txt', 'one');
  let calls = 0;
  const act = () => edit('one', 'two');
  const count = await beforePathCalls(() => {}, act);
  for (let moment = 0; moment < count; moment++) {
    writeFileSync(path, 'one');
    calls = 0;
    let text = '';
    await beforePathCalls(
      () => {
        if (calls++ === moment) writeFileSync(path, 'one, and what a person added');
      },
      async () => {
        ({ text } = await act());
      },
    );
    // Either the edit saw the addition, or it was refused, or the addition came after its last look.
    if (/meanwhile/.test(text)) expect(content()).toBe('one, and what a person added');
    else expect(text).toBe('Replaced 1 occurrence in a.txt.');
  }
});
