import { describe, expect, it } from 'vitest';
import type { DiscoveredSession } from '../../src/discover/discovered-session.ts';
import { isAboveThreshold } from '../../src/select/score-parts.ts';
import { scoreSession } from '../../src/select/score-session.ts';
import { hoursAgo, makeSession, NOW } from '../project-status/discovered.ts';

const DAY = 24;
const WEEK = 7 * DAY;
const MILLISECOND = 1 / 3_600_000;
const situation = { currentBranch: 'main', now: NOW };

function score(
  fields: Partial<DiscoveredSession>,
  relevance = 1,
  more: { maxBudgetUsd?: number; currentBranch?: string } = {},
) {
  const rating = { score: relevance, reasoning: 'because', by: 'model' } as const;
  return scoreSession(makeSession(fields), rating, { ...situation, ...more });
}

describe('the score of a session', () => {
  it('is at most 100', () => {
    expect(score({ lastModified: hoursAgo(0) })).toMatchObject({
      sessionId: makeSession().sessionId,
      total: 100,
      parts: { branch: 25, recency: 20, relevance: 25, health: 15, capacity: 15 },
    });
  });

  it('is at least 0', () => {
    const worst = score(
      {
        branch: 'other',
        lastModified: hoursAgo(WEEK + 1),
        messageCount: 501,
        fileSizeBytes: 6 * 1024 * 1024,
        compactionCount: 2,
        budgetUsedPct: 0.6,
        totalInputTokens: 10_000_000,
      },
      0,
    );
    expect(worst.parts).toEqual({ branch: 0, recency: 0, relevance: -15, health: 0, capacity: 0 });
    expect(worst.total).toBe(0);
  });

  it.each<[string, string, number]>([
    ['main', 'main', 25],
    ['main', 'Main', 0],
    ['feature/x', 'feature/y', 0],
    ['', '', 0],
    ['HEAD', 'HEAD', 0],
  ])('has of a session on "%s" where "%s" is current: %d', (branch, currentBranch, part) => {
    expect(score({ branch }, 1, { currentBranch }).parts.branch).toBe(part);
  });

  it.each<[string, number, number]>([
    ['to come', -5, 20],
    ['now', 0, 20],
    ['under an hour', 1 - MILLISECOND, 20],
    ['an hour', 1, 16],
    ['under six hours', 6 - MILLISECOND, 16],
    ['six hours', 6, 12],
    ['under a day', DAY - MILLISECOND, 12],
    ['a day', DAY, 8],
    ['under three days', 3 * DAY - MILLISECOND, 8],
    ['three days', 3 * DAY, 4],
    ['under a week', WEEK - MILLISECOND, 4],
    ['a week', WEEK, 0],
    ['a year', 365 * DAY, 0],
  ])('has for an age of %s its part of recency', (_, hours, part) => {
    expect(score({ lastModified: hoursAgo(hours) }).parts.recency).toBe(part);
  });

  it('takes a session without a time for an old one', () => {
    expect(score({ lastModified: new Date(Number.NaN) }).parts).toMatchObject({ recency: 0, health: 11 });
  });

  it.each<[number, number]>([
    [0, -15],
    [0.0999, -15],
    [0.0999996, -15],
    [0.1, 0],
    [0.2, 0],
    [0.2999, 0],
    [0.2999996, 0],
    [0.3, 10],
    [0.1 + 0.2, 10],
    [0.309, 10],
    [0.31, 11],
    [0.4, 15],
    [0.45, 18],
    [0.5, 20],
    [0.58, 24],
    [0.5899, 24],
    [0.59, 25],
    [0.5999, 25],
    [0.6, 25],
    [0.7 - 0.1, 25],
    [1, 25],
  ])('has for a relevance of %d: %d', (relevance, part) => {
    expect(score({}, relevance).parts.relevance).toBe(part);
  });

  it.each<[string, Partial<DiscoveredSession>, number]>([
    ['nothing', {}, 15],
    ['500 messages', { messageCount: 500 }, 15],
    ['501 messages', { messageCount: 501 }, 8],
    ['5 MB', { fileSizeBytes: 5 * 1024 * 1024 }, 15],
    ['more than 5 MB', { fileSizeBytes: 5 * 1024 * 1024 + 1 }, 11],
    ['a week', { lastModified: hoursAgo(WEEK) }, 15],
    ['more than a week', { lastModified: hoursAgo(WEEK + MILLISECOND) }, 11],
    ['messages and size', { messageCount: 501, fileSizeBytes: 6e6 }, 4],
    ['all of them', { messageCount: 501, fileSizeBytes: 6e6, lastModified: hoursAgo(200) }, 0],
  ])('keeps of its health, with %s, its part', (_, fields, part) => {
    expect(score(fields).parts.health).toBe(part);
  });

  it.each<[string, Partial<DiscoveredSession>, number]>([
    ['nothing', {}, 15],
    ['one compaction', { compactionCount: 1 }, 11],
    ['two compactions', { compactionCount: 2 }, 6],
    ['three compactions', { compactionCount: 3 }, 6],
    ['30% of the budget', { budgetUsedPct: 0.3 }, 15],
    ['30%, in floating point', { budgetUsedPct: 0.1 + 0.2 }, 15],
    ['31% of the budget', { budgetUsedPct: 0.31 }, 13],
    ['50% of the budget', { budgetUsedPct: 0.5 }, 13],
    ['51% of the budget', { budgetUsedPct: 0.51 }, 11],
    ['a fraction, not a percentage', { budgetUsedPct: 0.005 }, 15],
    ['a budget that is none', { budgetUsedPct: Number.NaN }, 15],
    [
      '4000 tokens for each message',
      { messageCount: 10, totalInputTokens: 39_000, totalOutputTokens: 1000 },
      15,
    ],
    ['more than that', { messageCount: 10, totalInputTokens: 39_000, totalOutputTokens: 1001 }, 12],
    ['tokens of the cache', { messageCount: 10, totalCacheTokens: 1e9 }, 15],
    ['no messages', { messageCount: 0, totalInputTokens: 9e9 }, 15],
    [
      'one of each kind',
      { compactionCount: 1, budgetUsedPct: 0.4, messageCount: 10, totalInputTokens: 50_000 },
      6,
    ],
    [
      'more than it is worth',
      { compactionCount: 2, budgetUsedPct: 0.6, messageCount: 10, totalInputTokens: 50_000 },
      0,
    ],
  ])('keeps of its capacity, with %s, its part', (_, fields, part) => {
    expect(score(fields).parts.capacity).toBe(part);
  });

  it('holds the cost against the budget of the next run, where that is known', () => {
    expect(score({ totalCostUsd: 4 }, 1, { maxBudgetUsd: 10 }).parts.capacity).toBe(13);
    expect(score({ totalCostUsd: 4, budgetUsedPct: 0.1 }, 1, { maxBudgetUsd: 5 }).ceiling).toBe('budget');
    expect(score({ totalCostUsd: 4, budgetUsedPct: 0.9 }, 1, { maxBudgetUsd: 100 }).ceiling).toBeUndefined();
    expect(score({ totalCostUsd: 4, budgetUsedPct: 0.9 }, 1, { maxBudgetUsd: 0 }).ceiling).toBe('budget');
    expect(score({ totalCostUsd: 4 }, 1, { maxBudgetUsd: 0 }).ceiling).toBe('budget');
    expect(score({}, 1, { maxBudgetUsd: 0 }).reason).toContain('100% of its budget used');
    expect(score({ totalCostUsd: 4 }, 1, { maxBudgetUsd: Number.NaN }).ceiling).toBeUndefined();
  });
});

describe('a ceiling', () => {
  it.each<[string, Partial<DiscoveredSession>, number, string | undefined]>([
    ['two compactions', { compactionCount: 2 }, 1, undefined],
    ['three compactions', { compactionCount: 3 }, 1, 'compactions'],
    ['69% of the budget', { budgetUsedPct: 0.69 }, 1, undefined],
    ['70% of the budget', { budgetUsedPct: 0.7 }, 1, 'budget'],
    ['a little less than 70%', { budgetUsedPct: 0.6999996 }, 1, undefined],
    ['201 messages of a little less than that', { messageCount: 201 }, 0.0999996, 'unrelated'],
    ['70%, in floating point', { budgetUsedPct: 0.8 - 0.1 }, 1, 'budget'],
    ['more than all of it', { budgetUsedPct: 3 }, 1, 'budget'],
    ['200 unrelated messages', { messageCount: 200 }, 0.05, undefined],
    ['201 unrelated messages', { messageCount: 201 }, 0.0999, 'unrelated'],
    ['201 messages of another subject', { messageCount: 201 }, 0.1, undefined],
    ['compactions before budget', { compactionCount: 9, budgetUsedPct: 0.9 }, 0, 'compactions'],
  ])('is there for %s', (_, fields, relevance, ceiling) => {
    expect(score(fields, relevance).ceiling).toBe(ceiling);
  });

  it('leaves the parts to be seen', () => {
    const capped = score({ compactionCount: 3, lastModified: hoursAgo(0) });
    expect(capped.total).toBe(91);
    expect(capped.reason).toMatch(/^ruled out: 3 compactions; same branch/);
  });
});

describe('the threshold', () => {
  it('is not passed by a session that is just there: same branch, fresh, unrelated', () => {
    const { total } = score({ lastModified: hoursAgo(0) }, 0);
    expect(total).toBe(60);
    expect(isAboveThreshold(total, 0.6)).toBe(false);
    expect(isAboveThreshold(61, 0.6)).toBe(true);
  });

  it.each<[number, number, boolean]>([
    [70, 0.1 + 0.6, false],
    [60, 0.599, true],
    [60, 0.605, false],
    [61, 0.605, true],
    [0, 0, false],
    [1, 0, true],
    [100, 1, false],
  ])('%d against %d', (hundredths, threshold, isAbove) => {
    expect(isAboveThreshold(hundredths, threshold)).toBe(isAbove);
  });
});

describe('the reason of a score', () => {
  it('is one line, whatever the model said', () => {
    const rating = { score: 0.5, reasoning: 'two\nlines \u001b[31m', by: 'model' } as const;
    expect(
      scoreSession(makeSession({ compactionCount: 1, budgetUsedPct: 0.4 }), rating, situation).reason,
    ).toBe(
      'same branch, used 1 h ago, relevance 0.50 by model (two lines �[31m), 1 compaction, 40% of its budget used',
    );
  });
});
