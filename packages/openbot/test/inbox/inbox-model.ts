import fc from 'fast-check';
import { expect } from 'vitest';
import { cases } from '../../../../test/setup/hunt.ts';
import type { Inbox, InboxState } from '../../src/inbox/contract.ts';
import { arrival } from './arrival.ts';

/** The simplest thing that keeps the promises: a list. */
interface Row {
  id: string;
  session: string;
  tries: number;
  now: InboxState;
}

const SESSIONS = ['a', 'b', 'c'];
const state: fc.Arbitrary<InboxState> = fc.oneof(
  fc.constant<InboxState>({ state: 'received' }),
  fc.constant<InboxState>({ state: 'queued' }),
  fc.constantFrom('t1', 't2').map((turnId): InboxState => ({ state: 'running', turnId })),
  fc.constantFrom('t1', 't2').map((turnId): InboxState => ({ state: 'answered', turnId })),
  fc.constant<InboxState>({ state: 'dropped', reason: 'r' }),
  fc.constant<InboxState>({ state: 'failed', error: 'e' }),
);
const step = fc.oneof(
  fc.record({
    do: fc.constant('accept' as const),
    id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
    session: fc.constantFrom(...SESSIONS),
  }),
  fc.record({
    do: fc.constant('move' as const),
    rows: fc.array(fc.nat({ max: 7 }), { maxLength: 4 }),
    to: state,
  }),
);
/** Steps of one group are asked for at once. */
const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 8 });

/** Random steps, some of them at the same time, on an inbox and on a list. */
export async function checkAgainstModel(open: () => Promise<Inbox>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(groups, async (all) => {
      const inbox = await open();
      const rows: Row[] = [];
      const seqs: number[] = [];
      const isWaiting = ({ now }: Row) => ['received', 'queued', 'running'].includes(now.state);
      for (const group of all) {
        const known = seqs.length;
        await Promise.all(
          group.map(async (one) => {
            if (one.do === 'move') {
              const moved = [...new Set(one.rows)].filter((at) => at < known);
              for (const at of moved) {
                const row = rows[at]!;
                if (!isWaiting(row)) continue;
                row.now = one.to;
                if (one.to.state === 'running') row.tries++;
              }
              await inbox.move(
                moved.map((at) => seqs[at]!),
                one.to,
              );
              return;
            }
            const isNew = !rows.some(({ id }) => id === one.id);
            if (isNew) rows.push({ id: one.id, session: one.session, tries: 0, now: { state: 'received' } });
            const at = rows.findIndex(({ id }) => id === one.id);
            const accepted = await inbox.accept(arrival(one.id, { sessionKey: one.session }));
            expect(accepted.isNew).toBe(isNew);
            seqs[at] = accepted.message.seq;
          }),
        );
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
        for (const session of SESSIONS) {
          const expected = rows.flatMap((row, at) =>
            isWaiting(row) && row.session === session
              ? [{ ...arrival(row.id, { sessionKey: session }), seq: seqs[at], tries: row.tries, ...row.now }]
              : [],
          );
          expect(await inbox.waiting(arrival('', { sessionKey: session }))).toEqual(expected);
        }
        for (const turnId of ['t1', 't2']) {
          const expected = rows.flatMap(({ now }, at) =>
            'turnId' in now && now.turnId === turnId ? [seqs[at]] : [],
          );
          expect((await inbox.ofTurn(turnId)).map(({ seq }) => seq)).toEqual(expected);
        }
      }
      await inbox.close();
    }),
    cases({ gate: 40, torture: 1000 }),
  );
}
