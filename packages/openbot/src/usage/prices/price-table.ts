import type { PriceTable, Rates } from './price.ts';

// Prices that several models have, by the first of them.
const SONNET_3: Rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
const SONNET_4_LONG: Rates = { input: 6, output: 22.5, cacheRead: 0.6, cacheWrite5m: 7.5, cacheWrite1h: 12 };
const OPUS_3: Rates = { input: 15, output: 75, cacheRead: 1.5, cacheWrite5m: 18.75, cacheWrite1h: 30 };
const OPUS_4_5: Rates = { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 };
const FABLE_5: Rates = { input: 10, output: 50, cacheRead: 1, cacheWrite5m: 12.5, cacheWrite1h: 20 };

/** Names are those of Anthropic's API, without a date. A model that is not in it has no price: none is derived from another. */
export const BUILT_IN_PRICES: PriceTable = {
  date: '2026-11-10',
  source: [
    "Anthropic's list prices as its documentation and the model lists of pi 1.5.2 and ccusage 20.0.24 have them.",
    'Of models since claude-fable-5-1, writes to the cache count as 1.25 times the input for five minutes and as twice the input for an hour; Anthropic confirms that for claude-opus-5-5 and claude-sonnet-5-5 alone.',
    'claude-sonnet-5-5 reads the cache for 0.1 since 2026-10-07, by pi 1.5.2 and other secondary sources; before that day it was 0.2, so earlier reads are counted at half their price.',
    'The fast form of claude-opus-5-5 costs 8 and 40, by secondary sources.',
  ].join(' '),
  models: {
    'claude-3-haiku': {
      input: 0.25,
      output: 1.25,
      cacheRead: 0.03,
      cacheWrite5m: 0.3,
      cacheWrite1h: 0.5,
      regional: 1,
    },
    'claude-3-sonnet': { ...SONNET_3, regional: 1 },
    'claude-3-opus': { ...OPUS_3, regional: 1 },
    'claude-3-5-haiku': {
      input: 0.8,
      output: 4,
      cacheRead: 0.08,
      cacheWrite5m: 1,
      cacheWrite1h: 1.6,
      regional: 1,
    },
    'claude-3-5-sonnet': { ...SONNET_3, regional: 1 },
    'claude-3-7-sonnet': { ...SONNET_3, regional: 1 },
    'claude-sonnet-4': { ...SONNET_3, above200k: SONNET_4_LONG, regional: 1 },
    'claude-sonnet-4-5': { ...SONNET_3, above200k: SONNET_4_LONG, regional: 1.1 },
    'claude-sonnet-4-6': { ...SONNET_3, regional: 1.1 },
    'claude-sonnet-5': {
      input: 2,
      output: 10,
      cacheRead: 0.2,
      cacheWrite5m: 2.5,
      cacheWrite1h: 4,
      regional: 1.1,
    },
    'claude-sonnet-5-5': {
      input: 2,
      output: 10,
      cacheRead: 0.1,
      cacheWrite5m: 2.5,
      cacheWrite1h: 4,
      regional: 1.1,
    },
    'claude-opus-4': { ...OPUS_3, regional: 1 },
    'claude-opus-4-1': { ...OPUS_3, regional: 1 },
    'claude-opus-4-5': { ...OPUS_4_5, regional: 1.1 },
    'claude-opus-4-6': { ...OPUS_4_5, fast: 6, regional: 1.1 },
    'claude-opus-4-7': { ...OPUS_4_5, fast: 6, regional: 1.1 },
    'claude-opus-4-8': { ...OPUS_4_5, fast: 2, regional: 1.1 },
    'claude-opus-5': { ...OPUS_4_5, fast: 2, regional: 1.1 },
    'claude-opus-5-5': {
      input: 4,
      output: 20,
      cacheRead: 0.2,
      cacheWrite5m: 5,
      cacheWrite1h: 8,
      fast: 2,
      regional: 1.1,
    },
    'claude-haiku-4-5': {
      input: 1,
      output: 5,
      cacheRead: 0.1,
      cacheWrite5m: 1.25,
      cacheWrite1h: 2,
      regional: 1.1,
    },
    'claude-haiku-5-5': {
      input: 0.1,
      output: 0.5,
      cacheRead: 0.01,
      cacheWrite5m: 0.125,
      cacheWrite1h: 0.2,
      tiers: [
        {
          promptAbove: 100_000,
          input: 0.5,
          output: 2.5,
          cacheRead: 0.05,
          cacheWrite5m: 0.625,
          cacheWrite1h: 1,
        },
      ],
      regional: 1.1,
    },
    'claude-fable-5': { ...FABLE_5, regional: 1.1 },
    'claude-fable-5-1': {
      input: 10,
      output: 50,
      cacheRead: 0.25,
      cacheWrite5m: 12.5,
      cacheWrite1h: 20,
      regional: 1.1,
    },
    'claude-fable-5-2': {
      input: 8,
      output: 40,
      cacheRead: 0.2,
      cacheWrite5m: 10,
      cacheWrite1h: 16,
      regional: 1.1,
    },
    'claude-mythos-5': { ...FABLE_5 },
    'claude-mythos-preview': { ...FABLE_5 },
  },
};
