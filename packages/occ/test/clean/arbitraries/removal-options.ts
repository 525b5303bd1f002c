import fc from 'fast-check';

export interface RemovalOptions {
  readonly keepTurnsWithTools: number;
  readonly truncatePercent: number;
}

/** Few turns stay, because few are made; all kinds of shares. */
export const removalOptions: fc.Arbitrary<RemovalOptions> = fc.record({
  keepTurnsWithTools: fc.constantFrom(0, 0, 1, 2, 3, 20),
  truncatePercent: fc.constantFrom(0, 1, 33, 50, 67, 99, 100),
});
