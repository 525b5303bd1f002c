import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '../rules/request.ts';
import { type FoundPrice, PROMPT_EDGES, type Price, type Rates } from './price.ts';

const PACKAGES = [
  '@earendil-works/pi-ai',
  '@earendil-works/pi-coding-agent/node_modules/@earendil-works/pi-ai',
];

/** The prices in the list of models of pi, where that is installed. Loading pi itself takes far longer than a report. */
export function openPiPrices(
  from: string = import.meta.url,
): (model: string, provider: string | undefined) => FoundPrice | undefined {
  const folders = createRequire(from).resolve.paths(PACKAGES[0]!) ?? [];
  const data = folders
    .flatMap((folder) => PACKAGES.map((name) => join(folder, name, 'dist', 'providers', 'data')))
    .find((folder) => existsSync(folder));
  const lists = new Map<string, Readonly<Record<string, Price>>>();
  return (model, provider) => {
    if (data === undefined || provider === undefined || !/^[a-z0-9-]+$/.test(provider)) return undefined;
    const list = lists.get(provider) ?? readList(join(data, `${provider}.json`));
    lists.set(provider, list);
    const price = Object.hasOwn(list, model) ? list[model] : undefined;
    return price && { price, source: 'pi' };
  };
}

/** `{ [api]: { [model]: { cost } } }`, since 1.0 with `chat:` before the model. Another version may have another form: then no price is known. */
function readList(path: string): Readonly<Record<string, Price>> {
  const prices: Record<string, Price> = {};
  try {
    const apis: unknown = JSON.parse(readFileSync(path, 'utf8'));
    for (const models of Object.values(isObject(apis) ? apis : {})) {
      for (const [key, model] of Object.entries(isObject(models) ? models : {})) {
        const price = isObject(model) ? readPrice(model.cost) : undefined;
        if (price !== undefined) prices[key.replace(/^chat:/, '')] = price;
      }
    }
  } catch {
    // Not a provider of pi.
  }
  return prices;
}

function readPrice(cost: unknown): Price | undefined {
  const rates = readRates(cost);
  const { tiers = [] } = (isObject(cost) ? cost : {}) as { tiers?: readonly unknown[] };
  if (rates === undefined || tiers.length === 0) return rates;
  const read = tiers.map((tier) => {
    const { inputTokensAbove = Number.NaN } = tier as { inputTokensAbove?: number };
    // Some providers count from the edge itself on.
    const promptAbove = PROMPT_EDGES.find(
      (edge) => edge - inputTokensAbove === 0 || edge - inputTokensAbove === 1,
    );
    const ofTier = readRates(tier);
    return promptAbove === undefined || ofTier === undefined ? undefined : { ...ofTier, promptAbove };
  });
  // A price with a part that is not understood would be too low.
  if (read.includes(undefined)) return undefined;
  return {
    ...rates,
    tiers: read.flatMap((tier) => tier ?? []).sort((a, b) => a.promptAbove - b.promptAbove),
  };
}

/** pi counts an hour in the cache as twice the input. */
export function readRates(cost: unknown): Rates | undefined {
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite'];
  if (!isObject(cost) || !kinds.every((kind) => Number.isFinite(cost[kind]))) return undefined;
  const { input, output, cacheRead, cacheWrite } = cost as Record<string, number>;
  return {
    input: input!,
    output: output!,
    cacheRead: cacheRead!,
    cacheWrite5m: cacheWrite!,
    cacheWrite1h: input! * 2,
  };
}
