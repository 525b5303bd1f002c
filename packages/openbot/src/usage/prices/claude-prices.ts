import type { Price } from './price.ts';

/** When these were taken, from ccusage 20.0.24 run offline. */
export const CLAUDE_PRICES_AS_OF = '2026-09-22';

const cached = (input: number, output: number, more?: Pick<Price, 'above' | 'fast'>): Price => ({
  input,
  output,
  cacheWrite: input * 1.25,
  cacheRead: input / 10,
  ...more,
});
const SONNET: Price = cached(3, 15);
const LONG_SONNET: Price = cached(3, 15, { above: cached(6, 22.5) });
const OPUS: Price = cached(5, 25);
const FIRST_OPUS: Price = cached(15, 75);

/** By the name without a date. */
const PRICES: Readonly<Record<string, Price>> = {
  'claude-3-haiku': { input: 0.25, output: 1.25, cacheWrite: 0.3, cacheRead: 0.03 },
  'claude-3-sonnet': SONNET,
  'claude-3-opus': FIRST_OPUS,
  'claude-3-5-haiku': cached(0.8, 4),
  'claude-3-5-sonnet': SONNET,
  'claude-3-7-sonnet': SONNET,
  'claude-sonnet-4': LONG_SONNET,
  'claude-sonnet-4-5': LONG_SONNET,
  'claude-sonnet-4-6': SONNET,
  'claude-sonnet-5': cached(2, 10),
  'claude-opus-4': FIRST_OPUS,
  'claude-opus-4-1': FIRST_OPUS,
  'claude-opus-4-5': OPUS,
  'claude-opus-4-6': cached(5, 25, { fast: 6 }),
  'claude-opus-4-7': cached(5, 25, { fast: 6 }),
  'claude-opus-4-8': cached(5, 25, { fast: 2 }),
  'claude-opus-5': cached(5, 25, { fast: 2 }),
  'claude-haiku-4-5': cached(1, 5),
  'claude-fable-5': cached(10, 50),
  'claude-mythos-5': cached(10, 50),
  'claude-mythos-preview': cached(10, 50),
};

/** `anthropic/claude-opus-4.7`, `claude-opus-4-7-20260416`, `claude-opus-4-7[1m]` are the same model. */
export function findClaudePrice(model: string): Price | undefined {
  const name = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/\[[^\]]*\]$/, '')
    .replaceAll('.', '-')
    .replace(/(?:-\d{8}|@\d{8}|-latest)$/, '');
  return Object.hasOwn(PRICES, name) ? PRICES[name] : undefined;
}
