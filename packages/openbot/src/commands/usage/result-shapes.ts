/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const COST_SOURCE =
  "'recorded' | 'config' | 'table' | 'built-in' | 'pi' | 'mixed' | 'unknown' - where the price comes from: recorded in the transcript, models.providers of openbot.json, the file of usage.prices, the built-in table, pi's list, several, none";

const TOKENS = {
  inputTokens: 'number - without the cache',
  outputTokens: 'number',
  cacheCreationTokens: 'number',
  cacheReadTokens: 'number',
} as const;

const COST = {
  costSource: COST_SOURCE,
  'missingPricing?': 'true - the cost is without requests that no price is known for',
} as const;

const FIGURES = {
  ...TOKENS,
  totalTokens: 'number',
  totalCost: 'number - US dollars',
  ...COST,
} as const;

const ROW = {
  ...FIGURES,
  modelsUsed: ['string'],
  modelBreakdowns: [{ modelName: 'string', ...TOKENS, cost: 'number - US dollars', ...COST }],
} as const;

export const USAGE: ResultShape = {
  'daily?': [{ date: 'string - 2026-11-15', ...ROW }],
  'monthly?': [{ month: 'string - 2026-11', ...ROW }],
  'sessions?': [
    {
      sessionId: 'string',
      source: "'openbot' | 'claude' | 'openclaw' | 'pi'",
      'agentId?': 'string',
      'sessionKey?': 'string',
      'label?': 'string',
      'channel?': 'string',
      'projectPath?': 'string - the name of its folder among the projects',
      firstActivity: 'string - ISO 8601',
      lastActivity: 'string - ISO 8601',
      ...ROW,
    },
  ],
  'models?': [{ modelName: 'string', ...FIGURES }],
  'channels?': [{ channel: 'string', ...ROW }],
  totals: { ...FIGURES, unpricedModels: ['string'] },
  count: 'number - of rows',
  totalCount: 'number - without --limit',
  priceTable: {
    date: 'string - of the table of prices that is used',
    'path?': 'string - of the file of usage.prices; absent for the built-in one',
  },
  sources: ['string'],
  timezone: "string - as given, or 'local'",
  'since?': 'string',
  'until?': 'string',
  'agentId?': 'string',
};
