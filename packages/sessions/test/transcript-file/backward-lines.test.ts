import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { readLinesBackwards } from '../../src/transcript-file/file-parts.ts';
import { readTopLevelStrings } from '../../src/transcript-file/giant-line.ts';
import { useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();

async function linesBackwards(content: Buffer, maxLineBytes?: number) {
  const path = join(folder.path, 'file');
  writeFileSync(path, content);
  const handle = await open(path, 'r');
  try {
    const lines: { start: number; end: number; bytes: Buffer | undefined }[] = [];
    for await (const line of readLinesBackwards(handle, content.length, maxLineBytes))
      lines.push({ ...line });
    return lines;
  } finally {
    await handle.close();
  }
}

describe('readLinesBackwards', () => {
  it('finds the lines that splitting forwards finds', HUNT, async () => {
    // Lengths around the sizes of its buffers, where a line feed may be the first or the last byte of one.
    const length = fc.oneof(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 65_530, max: 65_540 }),
      fc.integer({ min: 131_066, max: 131_078 }),
      fc.integer({ min: 0, max: 400_000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 6 }), fc.boolean(), async (lengths, ended) => {
        const texts = lengths.map((size, i) => String.fromCharCode(97 + i).repeat(size));
        const content = Buffer.from(texts.join('\n') + (ended ? '\n' : ''));
        const found = await linesBackwards(content);
        const expected = content
          .toString()
          .split('\n')
          .filter((line) => line !== '');
        expect(found.map((line) => line.bytes!.toString()).reverse()).toEqual(expected);
        for (const { start, end, bytes } of found) expect(content.subarray(start, end)).toEqual(bytes);
      }),
      cases({ gate: 12, torture: 600 }),
    );
  });

  it('gives the position of a line that is too long to be held', async () => {
    const found = await linesBackwards(Buffer.from(`a\n${'b'.repeat(200_000)}\nc`), 1000);
    expect(found.map((line) => [line.start, line.end, line.bytes?.toString()])).toEqual([
      [200_003, 200_004, 'c'],
      [2, 200_002, undefined],
      [0, 1, 'a'],
    ]);
  });
});

describe('readTopLevelStrings', () => {
  async function read(text: string) {
    const path = join(folder.path, 'line');
    writeFileSync(path, `xx${text}yy`);
    const handle = await open(path, 'r');
    try {
      return await readTopLevelStrings(handle, 2, 2 + Buffer.byteLength(text), ['id', 'type']);
    } finally {
      await handle.close();
    }
  }

  it('gives what JSON.parse would give, for any object', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.oneof(fc.constantFrom('id', 'type', 'data'), fc.string({ maxLength: 5 })),
          fc.jsonValue(),
        ),
        fc.constantFrom(undefined, 1),
        async (object, indent) => {
          // Line feeds never occur inside a line.
          const text = JSON.stringify(object, null, indent).replaceAll('\n', ' ');
          const { id, type } = JSON.parse(text) as Record<string, unknown>;
          expect(await read(text)).toEqual({
            ...(typeof id === 'string' ? { id } : {}),
            ...(typeof type === 'string' ? { type } : {}),
          });
        },
      ),
    );
  });

  it('the last of two equal keys counts, and nested ones do not', async () => {
    expect(await read('{"id":"a","x":{"id":"n"},"id":"b","l":[{"id":"m"}]}')).toEqual({ id: 'b' });
    expect(await read('{"id":"a","id":7}')).toEqual({});
    expect(await read('{"\\u0069d":"\\u0061\\"b"}')).toEqual({ id: 'a"b' });
    expect(await read(`{"id":"${'x'.repeat(300)}","type":"t"}`)).toEqual({ type: 't' });
  });

  it.each([
    '',
    '{"id":"a"',
    '{"id":"a',
    '["id"]',
    '{"id":"a"}}',
    '{"id":"a"}{',
    '"id"',
    '{"id":"\u0001"}',
    '{}\0',
    'x',
  ])('is nothing for %j', async (text) => expect(await read(text)).toBeUndefined());
});
