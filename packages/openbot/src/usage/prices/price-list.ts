import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenBotError, resolveStateDir } from '@openbot/sessions';
import { type BotConfig, CONFIG_FILE_NAME } from '../../config/bot-config.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import type { UsageScope } from '../contract.ts';
import type { UsageBucket } from '../rules/buckets.ts';
import { findClaudePrice } from './claude-prices.ts';
import type { Price, PriceList } from './price.ts';

/** Whose names Claude Code's lines have. */
const CLAUDE_PROVIDER = 'anthropic';

/**
 * The prices of models whose requests record no cost: those of the configuration, then of Claude models, then of pi's
 * list where pi is installed. Each is loaded only where it is needed.
 */
export async function openPriceList(buckets: Iterable<UsageBucket>, scope: UsageScope): Promise<PriceList> {
  const wanted = new Map<string, { model: string; provider: string | undefined }>();
  for (const { model, provider, costUsd } of buckets) {
    if (model !== undefined && costUsd === undefined) wanted.set(`${provider}/${model}`, { model, provider });
  }
  const config = wanted.size === 0 ? {} : await readConfig(scope);
  const own: PriceList = (model, provider) => {
    const price = findConfigured(config, model, provider) ?? undefined;
    if (price !== undefined) return { price, source: 'config' };
    const known = findClaudePrice(model);
    return known === undefined ? undefined : { price: known, source: 'built-in' };
  };
  // Lines of Claude Code name no provider, and are priced as ccusage prices them.
  const isMissing = [...wanted.values()].some(
    ({ model, provider }) => provider !== undefined && own(model, provider) === undefined,
  );
  if (!isMissing) return own;
  const { openPiPrices } = await import('./pi-prices.ts');
  const pi = openPiPrices();
  return (model, provider) => own(model, provider) ?? pi(model, provider);
}

/** Most configurations have no prices, and to check a whole configuration takes longer than a report. */
async function readConfig(scope: UsageScope): Promise<BotConfig> {
  const stateDir = resolveStateDir({ flag: scope.stateDir, env: scope.env });
  try {
    if (!readFileSync(join(stateDir, CONFIG_FILE_NAME), 'utf8').includes('cost')) return {};
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
  return cost && { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...cost };
}
