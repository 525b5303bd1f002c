import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileEnds } from '../../src/transcript-file/file-parts.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test.each([
  ['', '', ''],
  ['abc', 'abc', ''],
  ['abcd', 'abcd', 'abcd'],
  ['abcdef', 'abcd', 'cdef'],
  ['abcdefghij', 'abcd', 'ghij'],
])('the ends of %j', (text, atStart, atEnd) => {
  const path = join(makeTempFolder(), 'file');
  writeFileSync(path, text);
  const [start, end] = [Buffer.alloc(4), Buffer.alloc(4)];
  const { started, ended } = readFileEnds(path, start, end);
  expect(start.toString('utf8', 0, started)).toBe(atStart);
  expect(end.toString('utf8', 0, ended)).toBe(atEnd);
});
