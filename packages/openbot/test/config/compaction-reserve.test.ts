import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptTokensOf, reserveOf, softThresholdOf } from '../../src/config/compaction-reserve.ts';
import { autocompactOf, compactsAt } from '../../src/runners/claude/models.ts';
import { compactionPointOf, prefixTokensOf } from '../../src/runners/compaction-point.ts';
import type { RunRequest } from '../../src/runners/contract.ts';

test.each([
  [100_000, 5000, 5000],
  [100_000, 0, 0],
  [100_000, undefined, 20_000],
  [1_000_000, undefined, 20_000],
  [50_000, undefined, 10_000],
  // Of a model that the configuration does not describe.
  [32_000, 60_000, 24_000],
  [4000, 60_000, 2000],
  [1, 60_000, 0],
])('of a window of %d with a reserve of %j so many tokens stay free: %d', (window, configured, expected) => {
  expect(reserveOf(window, configured)).toBe(expected);
});

test.each([
  [32_000, 20_000, 3000, 20_000],
  [32_000, 24_000, 3000, 21_000],
  [10_000, undefined, 8000, 1000],
  [10_000, 5000, 12_000, 0],
])(
  'of a window of %d with a reserve of %j and a prompt of %d tokens so many stay free: %d',
  (window, configured, prefix, expected) => {
    expect(reserveOf(window, configured, prefix)).toBe(expected);
  },
);

test.each([
  [12_000, 0, 3000],
  [12_000, 4000, 2000],
  [180_000, 4000, 20_000],
  [4000, 5000, 0],
])(
  'of a conversation that is compacted at %d with a prompt of %d so many tokens are kept: %d',
  (at, prefix, expected) => {
    expect(keptTokensOf(at, prefix)).toBe(expected);
  },
);

test.each([
  [95_000, 4000, 4000],
  [95_000, undefined, 4000],
  [3200, undefined, 320],
  [3200, 3199, 3199],
  [3200, 4000, 1600],
])('before a compaction at %d with a threshold of %j the flush is due by %d', (at, configured, expected) => {
  expect(softThresholdOf(at, configured)).toBe(expected);
});

test('with any settings, window and runner a conversation has room, then a flush, then a compaction', () => {
  const figure = fc.option(fc.nat(2_000_000), { nil: undefined });
  const tools: RunRequest['tools'] = { list: [], run: () => Promise.reject() };
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 2_000_000 }),
      figure,
      figure,
      fc.nat(50_000),
      (window, reserve, soft, length) => {
        const systemPrompt = { text: 'word'.repeat(length), report: {} as never };
        const room = Math.max(0, window - prefixTokensOf({ systemPrompt, tools }));
        for (const runner of [undefined, { compactsAt }]) {
          const model = { provider: 'p', model: 'm', contextWindow: window };
          const at = compactionPointOf(runner, { model, reserveTokens: reserve, systemPrompt, tools })!;
          expect(at).toBeGreaterThan(0);
          expect(at).toBeLessThanOrEqual(window);
          // Claude Code takes no window below 100,000, and keeps a third of that free.
          if (runner === undefined)
            expect(at).toBeGreaterThanOrEqual(window - room + Math.min(8000, Math.floor(room / 2)));
          const flushedAt = at - softThresholdOf(at, soft);
          expect(flushedAt).toBeGreaterThan(0);
          expect(flushedAt).toBeLessThanOrEqual(at);
        }
      },
    ),
  );
});

test.each([
  [167_000, 200_000, undefined],
  [67_000, 100_000, undefined],
  [40_000, 100_000, '50'],
])('to compact at %d Claude Code is told a window of %d and a share of %j', (tokens, window, percent) => {
  expect(autocompactOf(tokens)).toEqual({
    window,
    env: percent === undefined ? {} : { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: percent },
  });
});
