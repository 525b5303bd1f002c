/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** For the tokens of a request above 200,000 of one kind. */
  readonly above?: Omit<Price, 'above' | 'fast'>;
  /** How much more the fast form of the model costs. */
  readonly fast?: number;
}

export type PriceSource = 'config' | 'built-in' | 'pi';

export interface FoundPrice {
  readonly price: Price;
  readonly source: PriceSource;
}

/** Undefined for a model that no list has. */
export type PriceList = (model: string, provider: string | undefined) => FoundPrice | undefined;

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

/** @param above what of the tokens is above the tier */
export function costOf(
  price: Price,
  tokens: PricedTokens,
  above: PricedTokens | undefined,
  isFast: boolean,
): number {
  const below = above === undefined || price.above === undefined ? tokens : subtract(tokens, above);
  const rest = price.above === undefined || above === undefined ? 0 : sum(price.above, above);
  return ((sum(price, below) + rest) * (isFast ? (price.fast ?? 1) : 1)) / 1e6;
}

function sum(price: Omit<Price, 'above' | 'fast'>, tokens: PricedTokens): number {
  return (
    tokens.input * price.input +
    tokens.output * price.output +
    tokens.cacheWrite * price.cacheWrite +
    // An hour costs twice the input.
    tokens.cacheWrite1h * price.input * 2 +
    tokens.cacheRead * price.cacheRead
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
