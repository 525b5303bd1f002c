/** Lines that open more brackets than JSON.parse could keep in little memory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { parseJson } from '../../src/transcript/skim/deep-json.ts';

const DEEP = 20_000;
const nested = (depth: number, inside = '') => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

function readLine(text: string) {
  const bytes = Buffer.from(text);
  const builder = new TranscriptBuilder('openclaw');
  builder.line(bytes, 0, bytes.length, 0, true);
  const { start: _, end: __, ...entry } = builder.finish(bytes.length + 1).entry(0);
  return entry;
}

const call = (value: string) =>
  `{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"x":${value},"y":"]"}}]}}`;
const custom = (value: string) => `{"type":"custom","data":${value},"id":"b","parentId":"a"}`;

test.each([
  ['arguments', call],
  ['data', custom],
])('the same is read of %s, however deep', (_, line) => {
  expect(readLine(line(nested(3 * DEEP, '"[{\\"",1')))).toEqual(readLine(line(nested(3000, '"[{\\"",1'))));
});

test.each([
  ['that stay open', '['.repeat(3 * DEEP)],
  ['that stay open in an object', custom('['.repeat(3 * DEEP))],
  ['of two kinds', custom(`${'['.repeat(3 * DEEP)}${']'.repeat(3 * DEEP - 1)}}`)],
  ['that are closed too often', custom(nested(3 * DEEP, ']'))],
  ['with no JSON inside', custom(nested(3 * DEEP, 'nul'))],
  ['with a bad escape inside', custom(nested(3 * DEEP, '"\\x"'))],
])('brackets %s make a broken line', (_, line) => {
  expect(readLine(line).kind).toBe('broken');
});

describe('JSON.parse', () => {
  test.each([
    ['open', custom('['.repeat(500_000))],
    ['closed', custom(nested(500_000))],
    ['closed, in arguments', call(nested(500_000))],
  ])('is not given brackets by the hundred thousand that are %s', (_, line) => {
    const { parse } = JSON;
    let longest = 0;
    JSON.parse = (text: string) => {
      longest = Math.max(longest, text.length);
      return parse(text);
    };
    try {
      readLine(line);
    } finally {
      JSON.parse = parse;
    }
    expect(longest).toBeLessThan(100_000);
  });

  test('accepts the same texts', HUNT, () => {
    const piece = fc.constantFrom('[', ']', '{"a":', '}', '"["', '"\\""', ',', '1', ' ', 'null', '[1,', ':');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.nat({ max: 8 }), (pieces, at) => {
        const inside = pieces.join('');
        const around = [
          nested(DEEP, inside),
          nested(DEEP + 1, `${inside},[]`),
          `[${nested(DEEP)},${inside}]`,
        ];
        for (const text of around) {
          const bytes = Buffer.from(at === 8 ? text.slice(1) : text);
          let isJson = true;
          try {
            JSON.parse(bytes.toString());
          } catch {
            isJson = false;
          }
          if (isJson) parseJson(bytes);
          else expect(() => parseJson(bytes)).toThrow(SyntaxError);
        }
      }),
      cases({ gate: 30, torture: 500 }),
    );
  });
});
