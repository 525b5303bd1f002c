import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectEntriesToPrune } from '../../src/policy/retention.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.parse('2026-07-01T12:00:00Z');

type Options = Omit<Parameters<typeof selectEntriesToPrune>[0], 'entries' | 'now'>;

function prune(ages: Record<string, number | undefined>, options: Options = {}): string[] {
  const entries = Object.entries(ages).map(
    ([key, age]) => [key, age === undefined ? {} : { updatedAt: now - age }] as const,
  );
  return selectEntriesToPrune({ entries, now, ...options }).map(
    ({ sessionKey, reason }) => `${sessionKey} ${reason}`,
  );
}

describe('selectEntriesToPrune', () => {
  it('drops what was not used for 30 days, to the millisecond', () => {
    expect(prune({ a: 30 * day, b: 30 * day + 1, c: 90 * day })).toEqual(['c age', 'b age']);
  });

  it('drops the oldest above 500', () => {
    const ages = Object.fromEntries(Array.from({ length: 503 }, (_, i) => [`k${i}`, i]));
    expect(prune(ages)).toEqual(['k502 count', 'k501 count', 'k500 count']);
  });

  it('takes the age first, then what is still too many', () => {
    expect(prune({ a: 1, b: 2, c: 3, d: 40 * day }, { maxEntries: 2 })).toEqual(['d age', 'c count']);
  });

  it('leaves the main and the global session, unless asked', () => {
    const ages = {
      'agent:main:main': 90 * day,
      'agent:codex:work': 90 * day,
      global: 90 * day,
      'agent:main:dm:1': 90 * day,
    };
    expect(prune(ages, { mainKey: 'work' })).toEqual(['agent:main:dm:1 age']);
    expect(prune(ages)).toEqual(['agent:codex:work age', 'agent:main:dm:1 age']);
    expect(prune(ages, { includeMain: true })).toHaveLength(4);
  });

  it('a thread of the main session is not the main session', () => {
    expect(prune({ 'agent:main:main:thread:1': 90 * day })).toEqual(['agent:main:main:thread:1 age']);
  });

  it('leaves what is active or kept', () => {
    const ages = { a: 90 * day, b: 91 * day, c: 92 * day };
    expect(prune(ages, { activeKeys: ['A '], keep: (key) => key === 'c' })).toEqual(['b age']);
    expect(prune(ages, { maxEntries: 1, activeKeys: ['a', 'b'] })).toEqual(['c age']);
  });

  it('leaves sessions of unknown age, which count nevertheless', () => {
    expect(prune({ a: undefined, b: undefined, c: 1 }, { maxEntries: 1 })).toEqual(['c count']);
    const entries = [['x', { updatedAt: 'old' as unknown as number }] as const];
    expect(selectEntriesToPrune({ entries, now })).toEqual([]);
    expect(selectEntriesToPrune({ entries: [['x', null as unknown as { updatedAt: number }]], now })).toEqual(
      [],
    );
  });

  it('takes a time ahead for now: no credit, no penalty', () => {
    expect(prune({ ahead: -400 * day, b: 1, c: 2 }, { maxEntries: 2 })).toEqual(['c count']);
    expect(prune({ soon: -1, late: -400 * day }, { maxEntries: 1 })).toEqual(['late count']);
  });

  it('settles a tie by name', () => {
    expect(prune({ b: 5, a: 5, c: 5 }, { maxEntries: 1 })).toEqual(['a count', 'b count']);
  });

  it('has limits that can be switched off, but none of zero', () => {
    expect(prune({ a: 9000 * day, b: 1 }, { maxAgeMs: Number.POSITIVE_INFINITY })).toEqual([]);
    expect(prune({ a: 1, b: 2 }, { maxEntries: Number.POSITIVE_INFINITY })).toEqual([]);
    for (const bad of [0, -1, Number.NaN, '5' as unknown as number]) {
      const refusal = expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        hint: expect.any(String) as string,
      }) as Error;
      expect(() => prune({ a: 1 }, { maxAgeMs: bad })).toThrowError(refusal);
      expect(() => prune({ a: 1 }, { maxEntries: bad })).toThrowError(refusal);
    }
    expect(() => selectEntriesToPrune({ entries: [], now: Number.NaN })).toThrowError(/now/);
  });

  it('never prunes a younger session than one it leaves, and is done after one go', () => {
    const stores = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'agent:main:main', 'global', 'agent:main:dm:1'),
      fc.option(fc.integer({ min: -day, max: 60 * day }), { nil: undefined }),
    );
    fc.assert(
      fc.property(stores, fc.integer({ min: 1, max: 8 }), (ages, maxEntries) => {
        const pruned = new Set(prune(ages, { maxEntries }).map((line) => line.split(' ')[0]!));
        const left = Object.fromEntries(Object.entries(ages).filter(([key]) => !pruned.has(key)));
        expect(prune(left, { maxEntries })).toEqual([]);
        const removable = Object.entries(left).filter(
          ([key, age]) => age !== undefined && key !== 'agent:main:main' && key !== 'global',
        );
        for (const key of pruned) {
          for (const [, age] of removable)
            expect(Math.max(0, ages[key]!)).toBeGreaterThanOrEqual(Math.max(0, age!));
        }
      }),
    );
  });
});
