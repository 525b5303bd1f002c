import { describe, expect, test } from 'vitest';
import type { Cooldown, Cooldowns } from '../../src/cooldowns/contract.ts';

const FAILED: Cooldown = { failure: 'overloaded', failures: 1, since: 1000, until: 61_000 };

/** What every driver of the contract does. */
export function testCooldowns(name: string, open: () => Promise<Cooldowns>): void {
  describe(name, () => {
    test('keeps one for each model, and forgets it', async () => {
      const cooldowns = await open();
      expect(await cooldowns.read()).toEqual(new Map());
      await cooldowns.change('a/one', () => FAILED);
      await cooldowns.change('b/org/two', () => ({ ...FAILED, failure: 'unauthorised' }));
      await cooldowns.change('a/one', (before) => ({ ...before!, failures: before!.failures + 1 }));
      expect(await cooldowns.read()).toEqual(
        new Map([
          ['a/one', { ...FAILED, failures: 2 }],
          ['b/org/two', { ...FAILED, failure: 'unauthorised' }],
        ]),
      );
      await cooldowns.change('a/one', () => undefined);
      await cooldowns.change('never/there', (before) => before);
      expect([...(await cooldowns.read()).keys()]).toEqual(['b/org/two']);
      await cooldowns.close();
    });

    test('changes that come at the same time are all made', async () => {
      const cooldowns = await open();
      const count = () =>
        cooldowns.change('a/one', (before = { ...FAILED, failures: 0 }) => ({
          ...before,
          failures: before.failures + 1,
        }));
      await Promise.all(Array.from({ length: 20 }, count));
      expect((await cooldowns.read()).get('a/one')?.failures).toBe(20);
      await cooldowns.close();
    });

    test('what is read is not changed afterwards', async () => {
      const cooldowns = await open();
      const before = await cooldowns.read();
      await cooldowns.change('a/one', () => FAILED);
      expect(before.size).toBe(0);
    });
  });
}
