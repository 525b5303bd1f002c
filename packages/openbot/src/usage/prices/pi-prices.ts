import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '../rules/request.ts';
import type { Price, PriceList } from './price.ts';

const PACKAGES = [
  '@earendil-works/pi-ai',
  '@earendil-works/pi-coding-agent/node_modules/@earendil-works/pi-ai',
];

/** The prices in the list of models of pi, where that is installed. Loading pi itself takes far longer than a report. */
export function openPiPrices(): PriceList {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGES[0]!) ?? [];
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

/** `{ [api]: { [model]: { cost } } }`. Another version may have another form: then no price is known. */
function readList(path: string): Readonly<Record<string, Price>> {
  const prices: Record<string, Price> = {};
  try {
    const apis: unknown = JSON.parse(readFileSync(path, 'utf8'));
    for (const models of Object.values(isObject(apis) ? apis : {})) {
      for (const [id, model] of Object.entries(isObject(models) ? models : {})) {
        const cost = isObject(model) ? model.cost : undefined;
        if (isPrice(cost)) prices[id] = cost;
      }
    }
  } catch {
    // Not a provider of pi.
  }
  return prices;
}

function isPrice(cost: unknown): cost is Price {
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite'];
  return isObject(cost) && kinds.every((kind) => Number.isFinite(cost[kind]));
}
