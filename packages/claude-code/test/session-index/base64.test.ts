import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readBase64, sizeInBase64, writeInBase64 } from '../../src/session-index/index-file.ts';

test.each([0, 1, 2, 3, 4, 49_151, 49_152, 49_153, 49_154, 200_000])(
  '%i bytes are written as one text, and read as they were',
  (length) => {
    const bytes = randomBytes(length);
    const into = Buffer.alloc(sizeInBase64(bytes) + 2, '.');
    expect(writeInBase64(bytes, into, 1)).toBe(into.length - 1);
    expect(into.toString('latin1')).toBe(`.${bytes.toString('base64')}.`);
    expect(readBase64(into.subarray(1, -1)).equals(bytes)).toBe(true);
  },
);
