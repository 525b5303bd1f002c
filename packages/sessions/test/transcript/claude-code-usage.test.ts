import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { contextTokens } from '../../src/transcript/context/tokens.ts';
import { FLAG } from '../../src/transcript/entry.ts';
import { assistant, type Line, read, user } from './claude-lines.ts';

const figures = (input_tokens: number, output_tokens: number, more: Line = {}): Line => ({
  input_tokens,
  output_tokens,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...more,
});
const one = (type: string, input: number, output = 1, more: Line = {}): Line => ({
  type,
  ...figures(input, output, more),
});

/** Input and output of a message with such iterations; 100 and 10 stand above them. */
function read100(...iterations: unknown[]): (number | undefined)[] {
  const usage = figures(100, 10, { iterations });
  const { input, output } = read([assistant('a', null, { usage })]).usageOf(0)!;
  return [input, output];
}

describe('the usage of a message that took several requests', () => {
  test('is that of the last one', () => {
    expect(read100()).toEqual([100, 10]);
    expect(read100(one('message', 70, 7))).toEqual([70, 7]);
    expect(read100(one('message', 40, 4), one('message', 60, 6))).toEqual([60, 6]);
    expect(read100(one('message', 40, 4), one('fallback_message', 60, 6))).toEqual([60, 6]);
  });

  test('passes over requests that served something else', () => {
    expect(read100(one('message', 70, 7), one('advisor_message', 9), one('compaction', 8))).toEqual([70, 7]);
    expect(read100(one('compaction', 8))).toEqual([100, 10]);
  });

  test('is that of the whole message, where the last one is not whole', () => {
    expect(read100(one('message', 70), one('of_the_future', 60))).toEqual([100, 10]);
    expect(read100(one('message', 70), { type: 'message', input_tokens: 5 })).toEqual([100, 10]);
    expect(read100(one('message', 0, 5))).toEqual([100, 10]);
    expect(read100(one('message', 70, -1))).toEqual([100, 10]);
    expect(read100(one('message', 70, 7, { cache_read_input_tokens: null }))).toEqual([100, 10]);
  });

  test('does not matter where the message itself read nothing', () => {
    const usage = figures(0, 10, { iterations: [one('message', 70, 7)] });
    expect(read([assistant('a', null, { usage })]).usageOf(0)).toMatchObject({ input: 0, output: 10 });
  });

  test('its requests are no blocks of content', () => {
    const usage = figures(100, 10, { iterations: [one('message', 70, 7), one('thinking', 3)] });
    const content = [{ type: 'text', text: 'hello' }];
    const plain = read([user('u', null), assistant('a', 'u', { content })]).entry(1);
    const { model } = assistant('a', 'u', { content }).message as { model: string };
    const before = { ...assistant('a', 'u', { content }), message: { usage, id: 'a', model, content } };
    for (const line of [assistant('a', 'u', { content, usage }), before]) {
      const { flags, textSize, thinkingSize } = read([user('u', null), line]).entry(1);
      expect({ flags, textSize, thinkingSize }).toEqual({ flags: plain.flags, textSize: 5, thinkingSize: 0 });
      expect(flags & (FLAG.otherContent | FLAG.thinking)).toBe(0);
    }
    const person = { ...user('u', null, content), message: { role: 'user', content, usage } };
    expect(read([person]).entry(0).flags).toBe(FLAG.startsTurn);
  });

  test('is what the context takes', () => {
    const usage = figures(185_000, 500, {
      iterations: [one('message', 90_000, 300), one('message', 95_000, 200)],
    });
    const transcript = read([user('a', null), assistant('b', 'a', { usage })]);
    expect(contextTokens(transcript)).toMatchObject({ tokens: 95_200, basis: 'recorded' });
  });

  test('is as Claude Code takes it, whatever the figures', HUNT, () => {
    const figure = fc.oneof(fc.nat({ max: 3 }), fc.constantFrom(null, -1, 0.5, '1', undefined));
    const four = {
      input_tokens: figure,
      output_tokens: figure,
      cache_read_input_tokens: figure,
      cache_creation_input_tokens: figure,
    };
    const type = fc.constantFrom(
      'message',
      'message',
      'fallback_message',
      'compaction',
      'advisor_message',
      'x',
    );
    const whole = fc.nat({ max: 3 });
    const usages = fc.record({
      input_tokens: whole,
      output_tokens: whole,
      cache_read_input_tokens: whole,
      cache_creation_input_tokens: whole,
      iterations: fc.oneof(
        fc.array(fc.record({ type, ...four }), { maxLength: 4 }),
        fc.constantFrom(null, {}, 'x'),
      ),
    });
    fc.assert(
      fc.property(fc.array(usages, { minLength: 1, maxLength: 60, size: 'max' }), (all) => {
        const transcript = read(all.map((usage, index) => assistant(`${index}`, null, { usage })));
        for (const [index, usage] of all.entries()) {
          const { input, output, cacheRead, cacheWrite } = transcript.usageOf(index)!;
          expect([input, output, cacheRead, cacheWrite]).toEqual(takenFrom(usage));
        }
      }),
      cases({ gate: 30, torture: 300 }),
    );
  });
});

const FIGURES = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;
const inputOf = ([input, , cacheRead, cacheWrite]: number[]) => input! + cacheRead! + cacheWrite!;

function takenFrom(usage: Line): number[] {
  const whole = FIGURES.map((name) => usage[name] as number);
  if (inputOf(whole) === 0 || !Array.isArray(usage.iterations)) return whole;
  const last = (usage.iterations as Line[]).findLast(
    ({ type }) => type !== 'advisor_message' && type !== 'compaction',
  );
  if (last?.type !== 'message' && last?.type !== 'fallback_message') return whole;
  const its = FIGURES.map((name) => last[name] as number);
  return its.every((value) => typeof value === 'number' && value >= 0) && inputOf(its) > 0 ? its : whole;
}
