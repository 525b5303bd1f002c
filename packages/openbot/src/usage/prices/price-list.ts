import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isOpenBotError, resolveStateDir } from '@openbot/sessions';
import { resolveUserPath } from '@openbot/sessions/layout';
import { type BotConfig, CONFIG_FILE_NAME } from '../../config/bot-config.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import type { UsageScope } from '../contract.ts';
import type { UsageBucket } from '../rules/buckets.ts';
import { findPrice, type Price, type PriceList, type PriceTable } from './price.ts';
import { BUILT_IN_PRICES } from './price-table.ts';

/** Whose names Claude Code's lines have. */
const CLAUDE_PROVIDER = 'anthropic';

/**
 * The prices of models whose requests record no cost: those of the configuration, then of the table (`usage.prices`, else
 * the built-in one), then of pi's list where pi is installed, which is loaded only where it is needed.
 */
export async function openPriceList(buckets: Iterable<UsageBucket>, scope: UsageScope): Promise<PriceList> {
  const wanted = new Map<string, { model: string; provider: string | undefined }>();
  for (const { model, provider, costUsd } of buckets) {
    if (model !== undefined && costUsd === undefined) wanted.set(`${provider}/${model}`, { model, provider });
  }
  const config = await readConfig(scope);
  const { table, path } = await openTable(config, scope).catch((error: Error) => {
    scope.warn?.(`${error.message}. The built-in ones are used`);
    return { table: BUILT_IN_PRICES, path: undefined };
  });
  const facts = { date: table.date, path };
  const own: PriceList['find'] = (model, provider) => {
    const price = findConfigured(config, model, provider);
    if (price !== undefined) return { price, source: 'config' };
    const listed = findPrice(table, model, provider);
    return listed && { price: listed, source: path === undefined ? 'built-in' : 'table' };
  };
  // Lines of Claude Code name no provider, and are priced as ccusage prices them.
  const isMissing = [...wanted.values()].some(
    ({ model, provider }) => provider !== undefined && own(model, provider) === undefined,
  );
  if (!isMissing) return { find: own, table: facts };
  const { openPiPrices } = await import('./pi-prices.ts');
  const pi = openPiPrices();
  return { find: (model, provider) => own(model, provider) ?? pi(model, provider), table: facts };
}

/** @throws OpenBotError CONFIG_INVALID */
async function openTable(
  { usage }: BotConfig,
  scope: UsageScope,
): Promise<{ table: PriceTable; path?: string }> {
  if (usage?.prices === undefined) return { table: BUILT_IN_PRICES };
  const stateDir = resolveStateDir({ flag: scope.stateDir, env: scope.env });
  const isOfHome = usage.prices.startsWith('~');
  const path = isOfHome ? resolveUserPath(usage.prices, scope.env) : resolve(stateDir, usage.prices);
  const { readPriceTable } = await import('./read-price-table.ts');
  return { table: readPriceTable(path), path };
}

/** Most configurations have no prices, and to check a whole configuration takes longer than a report. */
async function readConfig(scope: UsageScope): Promise<BotConfig> {
  const stateDir = resolveStateDir({ flag: scope.stateDir, env: scope.env });
  try {
    if (!/cost|prices|\$include/.test(readFileSync(join(stateDir, CONFIG_FILE_NAME), 'utf8'))) return {};
    return (await loadBotConfig(stateDir, scope.env, { toleratesMissingSecrets: true })).config;
  } catch (error) {
    // It can be of another bundle, with a class of its own.
    if (isOpenBotError(error)) scope.warn?.(`Prices of the configuration are left out: ${error.message}`);
    return {};
  }
}

function findConfigured(config: BotConfig, model: string, provider = CLAUDE_PROVIDER): Price | undefined {
  const providers = config.models?.providers ?? {};
  const [, settings] = Object.entries(providers).find(([name]) => name.toLowerCase() === provider) ?? [];
  const cost = settings?.models?.find(({ id }) => id === model)?.cost;
  if (cost === undefined) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = input * 2 } = cost;
  return { input, output, cacheRead, cacheWrite5m: cacheWrite, cacheWrite1h };
}
