import { describe, expect, test } from 'vitest';
import type { Cooldown } from '../../../src/cooldowns/contract.ts';
import type { ModelFailure } from '../../../src/runners/contract.ts';
import { listCandidates } from '../../../src/turn/failover/list-candidates.ts';
import { isCooling, nextCooldown } from '../../../src/turn/failover/next-cooldown.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_000_000_000_000;

describe('nextCooldown', () => {
  /** How long each of several failures in a row makes the model wait, in minutes. */
  function waits(failure: ModelFailure, times: number): number[] {
    let before: Cooldown | undefined;
    let now = NOW;
    return Array.from({ length: times }, () => {
      before = nextCooldown(before, { failure }, now);
      const wait = before.until - now;
      now = before.until;
      return wait / MINUTE;
    });
  }

  test('grows with each failure', () => {
    expect(waits('overloaded', 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(waits('rate-limited', 2)).toEqual([1, 2]);
    expect(waits('unreachable', 2)).toEqual([1, 2]);
  });

  test('is longer where a person has to act', () => {
    expect(waits('unauthorised', 6)).toEqual([60, 120, 240, 480, 960, 1440]);
    expect(waits('exhausted', 1)).toEqual([60]);
  });

  test('is never shorter than the provider asks, and never longer than a day for that', () => {
    const after = (retryAfterMs: number) =>
      nextCooldown(undefined, { failure: 'rate-limited', retryAfterMs }, NOW).until - NOW;
    expect(after(5000)).toBe(MINUTE);
    expect(after(3 * HOUR)).toBe(3 * HOUR);
    expect(after(1e12)).toBe(24 * HOUR);
  });

  test('counts runs that fail together as one failure', () => {
    const first = nextCooldown(undefined, { failure: 'overloaded' }, NOW);
    const second = nextCooldown(first, { failure: 'overloaded' }, NOW + 1000);
    expect(second).toMatchObject({ failures: 1, until: NOW + 1000 + MINUTE });
    const shorter = { ...first, until: NOW + HOUR };
    expect(nextCooldown(shorter, { failure: 'overloaded' }, NOW + 1000).until).toBe(NOW + HOUR);
  });

  test('begins anew after a day, and after a clock that was wrong', () => {
    const old = { failure: 'overloaded', failures: 5, since: NOW, until: NOW + HOUR };
    expect(nextCooldown(old, { failure: 'overloaded' }, NOW + 26 * HOUR).failures).toBe(1);
    expect(nextCooldown(old, { failure: 'overloaded' }, NOW + 20 * HOUR).failures).toBe(6);
    expect(nextCooldown({ ...old, since: NOW + 1 }, { failure: 'overloaded' }, NOW).failures).toBe(1);
    expect(isCooling({ ...old, since: NOW + 1 }, NOW)).toBe(false);
  });
});

describe('listCandidates', () => {
  const runner = {} as never;
  const [a, b, c] = ['a', 'b', 'c'].map((model) => ({ model: { provider: 'p', model }, runner })) as [
    { model: { provider: string; model: string }; runner: never },
    { model: { provider: string; model: string }; runner: never },
    { model: { provider: string; model: string }; runner: never },
  ];
  const cooling = (...names: string[]) =>
    new Map(
      names.map((name) => [name, { failure: 'overloaded', failures: 1, since: NOW - 1, until: NOW + 1 }]),
    );

  test('passes over those that failed a short time ago', () => {
    const { wanted, candidates, resting } = listCandidates([a, b, c], cooling('p/a'), NOW);
    expect({ wanted, candidates }).toEqual({ wanted: a.model, candidates: [b, c] });
    expect(resting.map(({ name }) => name)).toEqual(['p/a']);
    expect(listCandidates([a, b, c], cooling('p/a'), NOW + 1).candidates).toEqual([a, b, c]);
  });

  test('tries all where all did', () => {
    expect(listCandidates([a, b], cooling('p/a', 'p/b'), NOW)).toMatchObject({
      candidates: [a, b],
      resting: [],
    });
    const unknown = { ...b, runner: undefined };
    expect(listCandidates([a, unknown], cooling('p/a'), NOW).candidates).toEqual([a, unknown]);
  });
});
