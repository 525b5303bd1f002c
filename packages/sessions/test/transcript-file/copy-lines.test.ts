import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { LineCopier } from '@openbot/sessions/rewrite';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** Several windows of the copier; every four bytes are a number of their own. */
const SIZE = 5_000_000;
const CONTENT = Buffer.from(Uint32Array.from({ length: SIZE / 4 }, (_, i) => i).buffer);

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});

async function copyWith(use: (copier: LineCopier, path: string) => Promise<void>): Promise<Buffer> {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  writeFileSync(from, CONTENT);
  const files: FileHandle[] = [];
  try {
    files.push(await open(from, 'r'), await open(to, 'w'));
    const copier = new LineCopier(files[0]!, files[1]!);
    await use(copier, from);
    await copier.flush();
  } finally {
    for (const file of files) await file.close();
  }
  return readFileSync(to);
}

type Range = readonly [start: number, end: number];

const range = fc
  .tuple(fc.nat(SIZE), fc.oneof(fc.nat(3000), fc.nat(200_000)))
  .map(([start, length]): Range => [start, Math.min(SIZE, start + length)]);
const ranges = fc.array(range, { maxLength: 60 });

it.each([
  ['in the order of the file', (given: Range[]) => given.toSorted(([a], [b]) => a - b)],
  ['in any order', (given: Range[]) => given],
])('copies and reads ranges %s', async (_, arrange) => {
  await fc.assert(
    fc.asyncProperty(ranges, fc.infiniteStream(fc.boolean()), async (given, isRead) => {
      const asked = arrange(given);
      const copied = await copyWith(async (copier) => {
        for (const [start, end] of asked) {
          if (isRead.next().value) await copier.putByteText(await copier.readText(start, end));
          else await copier.copy(start, end);
        }
      });
      const expected = Buffer.concat(asked.map(([start, end]) => CONTENT.subarray(start, end)));
      expect(copied.equals(expected)).toBe(true);
    }),
    { numRuns: 25 },
  );
});

it.each([
  [
    [0, 100],
    [1_048_566, 1_048_676],
  ],
  [
    [0, 100],
    [1_048_575, 1_048_577],
    [2_097_100, 2_097_200],
  ],
  [
    [0, 100],
    [600_000, 600_100],
    [2_097_150, 2_200_000],
  ],
] as Range[][])(
  'a range after a gap crosses the end of the window that was read ahead: %j %j',
  async (...given) => {
    const copied = await copyWith(async (copier) => {
      for (const [start, end] of given) await copier.copy(start, end);
    });
    expect(copied.equals(Buffer.concat(given.map(([start, end]) => CONTENT.subarray(start, end))))).toBe(
      true,
    );
  },
);

it('copies neighbouring short ranges across all windows', async () => {
  const copied = await copyWith(async (copier) => {
    for (let at = 0; at < SIZE; at += 7919) await copier.copy(at, Math.min(SIZE, at + 7919));
  });
  expect(copied.equals(CONTENT)).toBe(true);
});

it.each([[1000], [100_000]])('says that the file became shorter, with ranges of %d bytes', async (length) => {
  const copying = copyWith(async (copier, path) => {
    await copier.copy(0, length);
    truncateSync(path, SIZE / 2);
    for (let at = length; at < SIZE - length; at += length) await copier.copy(at, at + length);
  });
  await expect(copying).rejects.toMatchObject({
    code: 'TRANSCRIPT_UNREADABLE',
    message: 'The session became shorter while it was read',
    hint: expect.stringContaining('Another program rewrites'),
  });
});
