import { expect, test } from 'vitest';
import { describeSession } from '../../src/discover/describe-session.ts';
import { registered } from '../registry/registered.ts';

test.each([
  [undefined, undefined],
  [10, 0.2],
  [0, 1],
])('of a budget of %s is used: %s', (maxBudgetUsd, used) => {
  const entry = registered({ totalCostUsd: 2, maxBudgetUsd });
  expect(describeSession('/repo', undefined, entry).budgetUsedPct).toBe(used);
});
