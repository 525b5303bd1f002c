/** US dollars for a million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Written to the cache for five minutes. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

export interface Price extends Rates {
  /** For the tokens of a request above 200,000 of one kind. */
  readonly above200k?: Rates;
  /** For all tokens of a request whose prompt is longer; the highest that fits counts. */
  readonly tiers?: readonly (Rates & { readonly promptAbove: number })[];
  /** How much more the fast form of the model costs. */
  readonly fast?: number;
  /** How much more an endpoint within one region costs (`us.anthropic.…`). Without it the price there is unknown. */
  readonly regional?: number;
}

/** What `usage.prices` names: a list of prices as of a day. */
export interface PriceTable {
  readonly date: string;
  readonly source?: string;
  readonly models: Readonly<Record<string, Price>>;
}

/** `table`: the file of `usage.prices`, in the place of the built-in list. */
export type PriceSource = 'config' | 'table' | 'built-in' | 'pi';

export interface FoundPrice {
  readonly price: Price;
  readonly source: PriceSource;
}

export interface PriceList {
  /** Undefined for a model that no list has. */
  find(model: string, provider: string | undefined): FoundPrice | undefined;
  readonly table: PriceTableFacts;
}

/** Which table of prices is used. */
export interface PriceTableFacts {
  readonly date: string;
  /** Of the file; absent for the built-in one. */
  readonly path?: string;
}

/** Tokens by what they cost. */
export interface PricedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

/** Above this many tokens of one kind in one request, some models cost more for the rest. */
export const TIER = 200_000;

/** Lengths of a prompt from which on some model costs more. Requests are counted apart by them, so a tier can begin at no other. */
export const PROMPT_EDGES = [32_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000] as const;

export interface RequestSize {
  /** What of the tokens is above the tier. */
  readonly above?: PricedTokens;
  /** The largest of the edges that the prompts exceed. */
  readonly promptAbove?: number;
  readonly isFast: boolean;
}

export function costOf(price: Price, tokens: PricedTokens, size: RequestSize): number {
  const { above, promptAbove = 0, isFast } = size;
  const rates = price.tiers?.findLast((tier) => tier.promptAbove <= promptAbove) ?? price;
  const isSplit = above !== undefined && price.above200k !== undefined && rates === price;
  const below = isSplit ? subtract(tokens, above) : tokens;
  const rest = isSplit ? sum(price.above200k, above) : 0;
  return ((sum(rates, below) + rest) * (isFast ? (price.fast ?? 1) : 1)) / 1e6;
}

export function promptEdgeOf({
  input,
  cacheWrite,
  cacheWrite1h,
  cacheRead,
}: PricedTokens): number | undefined {
  const prompt = input + cacheWrite + cacheWrite1h + cacheRead;
  return PROMPT_EDGES.findLast((edge) => prompt > edge);
}

/** `anthropic/claude-opus-4.7`, `claude-opus-4-7-20260416`, `claude-opus-4-7[1m]`, `claude-opus-4-7@20260416` and `global.anthropic.claude-opus-4-7-v1:0` are the same model. */
export function findPrice(
  { models }: PriceTable,
  model: string,
  provider: string | undefined,
): Price | undefined {
  const exact = read(models, `${provider}/${model}`) ?? read(models, model);
  if (exact !== undefined) return exact;
  const bare = model.slice(model.lastIndexOf('/') + 1).replace(/\[[^\]]*\]$/, '');
  const [prefix = '', region] = /^(?:([a-z-]+)\.)?anthropic\./.exec(bare) ?? [];
  const name = bare
    .slice(prefix.length)
    .replaceAll('.', '-')
    .replace(/(?:-v\d+(?::\d+)*|[-@]\d{8}|@default|-latest)+$/, '');
  const price = read(models, name);
  if (price === undefined || region === undefined || region === 'global') return price;
  return price.regional === undefined ? undefined : multiply(price, price.regional);
}

function read(models: PriceTable['models'], name: string): Price | undefined {
  return Object.hasOwn(models, name) ? models[name] : undefined;
}

function multiply(price: Price, factor: number): Price {
  const times = ({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Rates): Rates => ({
    input: input * factor,
    output: output * factor,
    cacheRead: cacheRead * factor,
    cacheWrite5m: cacheWrite5m * factor,
    cacheWrite1h: cacheWrite1h * factor,
  });
  return {
    ...price,
    ...times(price),
    ...(price.above200k && { above200k: times(price.above200k) }),
    ...(price.tiers && { tiers: price.tiers.map((tier) => ({ ...tier, ...times(tier) })) }),
  };
}

function sum(rates: Rates, tokens: PricedTokens): number {
  return (
    tokens.input * rates.input +
    tokens.output * rates.output +
    tokens.cacheWrite * rates.cacheWrite5m +
    tokens.cacheWrite1h * rates.cacheWrite1h +
    tokens.cacheRead * rates.cacheRead
  );
}

function subtract(one: PricedTokens, other: PricedTokens): PricedTokens {
  return {
    input: one.input - other.input,
    output: one.output - other.output,
    cacheWrite: one.cacheWrite - other.cacheWrite,
    cacheWrite1h: one.cacheWrite1h - other.cacheWrite1h,
    cacheRead: one.cacheRead - other.cacheRead,
  };
}
