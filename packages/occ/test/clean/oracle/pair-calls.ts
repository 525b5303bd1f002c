import type { OracleLine } from './read-line.ts';

export interface OracleCall {
  readonly line: OracleLine;
  readonly order: number;
  readonly id: unknown;
  readonly results: { line: OracleLine; order: number }[];
}

/** A result answers the nearest call before it with its id, or else the first one after it. */
export function pairCalls(path: readonly OracleLine[]): OracleCall[] {
  const calls = path.flatMap((line) =>
    line.calls.map(({ id }, order): OracleCall => ({ line, order, id, results: [] })),
  );
  for (const line of path) {
    for (const [order, id] of line.results.entries()) {
      const same = calls.filter((call) => call.id === id && id !== undefined);
      const call = same.findLast((one) => one.line.index < line.index) ?? same[0];
      call?.results.push({ line, order });
    }
  }
  return calls;
}
