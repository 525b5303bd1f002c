import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import type { DiscoveredSession } from '../../src/discover/discovered-session.ts';
import { scoreSession } from '../../src/select/score-session.ts';
import { selectSession } from '../../src/select/select-session.ts';
import { hoursAgo, makeSession, NOW } from '../project-status/discovered.ts';
import { makeStatus } from './project.ts';

const situation = { currentBranch: 'main', now: NOW };
const fields: fc.Arbitrary<Partial<DiscoveredSession>> = fc.record(
  {
    branch: fc.constantFrom('main', 'other', '', 'HEAD'),
    messageCount: fc.nat(1200),
    fileSizeBytes: fc.nat(12_000_000),
    compactionCount: fc.nat(5),
    budgetUsedPct: fc.double({ min: 0, max: 1.5, noNaN: true }),
    totalInputTokens: fc.nat(10_000_000),
    totalOutputTokens: fc.nat(1_000_000),
    firstMessage: fc.constantFrom('Repair the login page', 'Write the parser', 'Login page again', ''),
  },
  { requiredKeys: ['branch'] },
);
const hours = fc.oneof(fc.constantFrom(0, 1, 6, 24, 72, 168), fc.double({ min: -1, max: 400, noNaN: true }));
const relevance = fc.oneof(fc.constantFrom(0, 0.1, 0.3, 0.6, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const rate = (score: number) => ({ score, reasoning: '', by: 'words' }) as const;

describe('any session', () => {
  it('scores 0 to 100: the sum of its parts, which are whole, or the limit', HUNT, () => {
    fc.assert(
      fc.property(fields, hours, relevance, (some, age, rating) => {
        const session = makeSession({ ...some, lastModified: hoursAgo(age) });
        const { total, parts } = scoreSession(session, rate(rating), situation);
        const values = Object.values(parts);
        for (const value of values) expect(Number.isInteger(value)).toBe(true);
        expect(total).toBe(
          Math.max(
            0,
            Math.min(
              100,
              values.reduce((sum, value) => sum + value, 0),
            ),
          ),
        );
        expect(values.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(100);
      }),
      cases({ gate: 300, torture: 3000, seed: 1 }),
    );
  });

  it('scores no less when it is younger, or more relevant', HUNT, () => {
    fc.assert(
      fc.property(fields, hours, hours, relevance, relevance, (some, one, other, low, high) => {
        const at = (age: number, rating: number) =>
          scoreSession(makeSession({ ...some, lastModified: hoursAgo(age) }), rate(rating), situation).total;
        expect(at(Math.min(one, other), low)).toBeGreaterThanOrEqual(at(Math.max(one, other), low));
        expect(at(one, Math.max(low, high))).toBeGreaterThanOrEqual(at(one, Math.min(low, high)));
      }),
      cases({ gate: 300, torture: 3000, seed: 2 }),
    );
  });
});

describe('any list of sessions', () => {
  const lists = fc
    .array(fc.tuple(fields, hours), { minLength: 1, maxLength: 8 })
    .map((list) =>
      list.map(([some, age], at) =>
        makeSession({ ...some, sessionId: `session-${at}`, lastModified: hoursAgo(age) }),
      ),
    );
  const shuffled = lists.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  );
  const select = (sessions: readonly DiscoveredSession[]) =>
    selectSession({
      task: 'Repair the login page',
      repoPath: '/repo',
      agentId: 'main',
      projectStatus: makeStatus(),
      sessions,
      now: NOW,
    });

  it('gives the same choice in any order', HUNT, async () => {
    await fc.assert(
      fc.asyncProperty(shuffled, async ([list, other]) => {
        expect(await select(other)).toEqual(await select(list));
      }),
      cases({ gate: 100, torture: 1000, seed: 3 }),
    );
  });

  it(
    'gives the best that may be resumed, of equals the most relevant, and only above the threshold',
    HUNT,
    async () => {
      await fc.assert(
        fc.asyncProperty(lists, async (list) => {
          const { action, sessionId, scores = [] } = await select(list);
          expect(scores).toHaveLength(list.length);
          const possible = scores.filter(({ ceiling }) => ceiling === undefined);
          const best = Math.max(0, ...possible.map(({ total }) => total));
          expect(action).toBe(best > 60 ? 'resume' : 'fresh');
          expect(sessionId === undefined).toBe(action === 'fresh');
          if (sessionId === undefined) return;
          const age = (id: string) =>
            list.find((session) => session.sessionId === id)!.lastModified.getTime();
          const most = <T>(items: readonly T[], value: (item: T) => number) =>
            items.filter((item) => value(item) === Math.max(...items.map(value)));
          const equals = possible.filter(({ total }) => total === best);
          const relevant = most(equals, ({ relevance }) => relevance.score);
          const rest = most(
            most(relevant, ({ parts }) => parts.branch),
            (score) => age(score.sessionId),
          );
          expect(rest.map((score) => score.sessionId)).toContain(sessionId);
        }),
        cases({ gate: 150, torture: 1500, seed: 4 }),
      );
    },
  );
});
