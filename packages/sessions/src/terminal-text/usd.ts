/** An amount of US dollars: whole cents, unless it is a part of one. */
export function formatUsd(usd: number): string {
  return `$${Number.isInteger(Math.round(usd * 1e6) / 1e4) ? usd.toFixed(2) : usd.toFixed(4)}`;
}
