import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readFileLinesBackwards, readFileStart } from '../../src/exports/transcript.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let path: string;

beforeEach(() => {
  path = join(makeTempFolder(), 'file.jsonl');
});

test.each([
  ['', 0, ''],
  ['abc', 3, 'abc'],
  ['abcdefgh', 4, 'abcd'],
])('the beginning of %j', (content, count, start) => {
  writeFileSync(path, content);
  const bytes = Buffer.alloc(4);
  expect(readFileStart(path, bytes)).toBe(count);
  expect(bytes.toString('latin1', 0, count)).toBe(start);
});

test('a file that is not there is an error', () => {
  expect(() => readFileStart(path, Buffer.alloc(4))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('lines come last one first, and reading may stop anywhere', async () => {
  const long = 'x'.repeat(300_000);
  writeFileSync(path, `first\n${long}\n\nlast`);
  const lines: string[] = [];
  for await (const { bytes } of readFileLinesBackwards(path)) lines.push(String(bytes));
  expect(lines).toEqual(['last', long, 'first']);
  for await (const { start, end } of readFileLinesBackwards(path)) {
    expect([start, end]).toEqual([300_008, 300_012]);
    break;
  }
});
