/** The size of the context that OpenClaw writes down apart from what a request cost. */
import { describe, expect, test } from 'vitest';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextOf } from '../../src/transcript/context/context.ts';
import { calibrate, contextTokens } from '../../src/transcript/context/tokens.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import { lowerUsage, planLoweredUsage } from '../../src/transcript/rewrite/lower-usage.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { activePath } from '../../src/transcript/tree/tree.ts';

const FIGURES = { input: 900, output: 100, cacheRead: 29_000, cacheWrite: 0, totalTokens: 30_000 };
const COST = { input: 0.1, output: 0.2, cacheRead: 0.3, cacheWrite: 0, total: 0.6 };
const AVAILABLE = { state: 'available', promptTokens: 4_900, totalTokens: 5_000 };

function read(...usages: object[]): Transcript {
  const lines: object[] = [{ type: 'session', version: 4, id: 's', cwd: '/w' }];
  let parentId: string | null = null;
  for (const [index, usage] of usages.entries()) {
    const [asked, answered] = [`u${index}`, `a${index}`];
    lines.push(
      { type: 'message', id: asked, parentId, message: { role: 'user', content: 'x'.repeat(4000) } },
      {
        type: 'message',
        id: answered,
        parentId: asked,
        message: { role: 'assistant', content: [{ type: 'text', text: 'y' }], usage, stopReason: 'stop' },
      },
    );
    parentId = answered;
  }
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  splitter.finish();
  return builder.finish(splitter.offset, 'openclaw');
}

describe('is read', () => {
  test('instead of the sum of all requests of the run', () => {
    expect(contextTokens(read({ ...FIGURES, contextUsage: AVAILABLE }))).toMatchObject({
      tokens: 5_000,
      basis: 'recorded',
    });
  });

  test('as unknown if it says so, whatever the other figures are', () => {
    const unknown = { ...FIGURES, contextUsage: { state: 'unavailable' } };
    expect(contextTokens(read(unknown)).basis).toBe('estimated');
    const { tokens, basis } = contextTokens(read({ ...FIGURES, contextUsage: AVAILABLE }, unknown));
    expect(basis).toBe('calibrated');
    expect(tokens).toBeGreaterThan(5_000);
    expect(tokens).toBeLessThan(7_000);
  });

  test.each([{}, { state: 'available' }, { state: 'else', totalTokens: 7 }, null])(
    'from the other figures, where it is %j',
    (contextUsage) => {
      expect(contextTokens(read({ ...FIGURES, contextUsage })).tokens).toBe(30_000);
    },
  );
});

describe('is lowered', () => {
  test('with the figures beside it, and what was paid stays', () => {
    const usage = { ...FIGURES, cost: COST, contextUsage: { ...AVAILABLE, source: 'provider' } };
    expect(JSON.parse(lowerUsage(JSON.stringify(usage), 1_200, 'openclaw'))).toEqual({
      input: 1_100,
      output: 100,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 1_200,
      cost: COST,
      contextUsage: { state: 'available', promptTokens: 1_100, totalTokens: 1_200, source: 'provider' },
      estimatedBy: expect.any(String),
    });
  });

  test.each([{ state: 'unavailable' }, { state: 'else', totalTokens: 7 }, null, 'text', undefined])(
    'only if it has a size: %j stays',
    (contextUsage) => {
      const lowered = JSON.parse(lowerUsage(JSON.stringify({ ...FIGURES, contextUsage }), 1_200, 'openclaw'));
      expect(lowered).toMatchObject({ totalTokens: 1_200 });
      expect(lowered.contextUsage).toEqual(contextUsage);
    },
  );

  test('where it is more than the context will weigh, and not where only the figures beside it are', () => {
    const plan = (usage: object) => {
      const transcript = read(usage);
      const context = contextOf(transcript, activePath(transcript).entries);
      return planLoweredUsage(transcript, context, calibrate(transcript, context), (index, now) =>
        transcript.idOf(index) === 'u0' ? 400 : now,
      );
    };
    expect(plan({ ...FIGURES, contextUsage: AVAILABLE })).toMatchObject({ indices: [2] });
    expect(plan({ ...FIGURES, contextUsage: AVAILABLE })!.tokens).toBeLessThan(5_000);
    expect(plan({ ...FIGURES, contextUsage: { state: 'unavailable' } })).toBeUndefined();
  });

  test('and is never again taken for a recorded one', () => {
    const lowered = lowerUsage(JSON.stringify({ ...FIGURES, contextUsage: AVAILABLE }), 1_200, 'openclaw');
    expect(contextTokens(read(JSON.parse(lowered)))).toMatchObject({ tokens: 1_200, basis: 'estimated' });
  });
});
