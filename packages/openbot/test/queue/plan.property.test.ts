import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import type { InboxMessage, InboxState } from '../../src/inbox/contract.ts';
import { planArrivals, planNext, type RunningTurn, targetOf } from '../../src/queue/plan.ts';
import { kindOf, message, rules } from './messages.ts';

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('arrive' as const),
      conversation: fc.constantFrom('a', 'b'),
      text: fc.constantFrom('hello', 'hello', 'hello', 'hello', '/new', '/stop'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2000 }) }),
  },
);

const settings = fc.record({
  mode: fc.constantFrom('steer', 'followup', 'collect', 'steer-backlog', 'interrupt'),
  debounceMs: fc.constantFrom(0, 1000),
  cap: fc.integer({ min: 1, max: 4 }),
  dropPolicy: fc.constantFrom('old', 'new', 'summarize'),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The queue of one session, with an inbox that is a list and runs that are ended by hand. */
class Session {
  readonly #settings: Settings;
  readonly turns = new Map<string, number[]>();
  /** Turns in the order in which they began. */
  readonly began: { readonly target: string; readonly seqs: readonly number[] }[] = [];
  all: InboxMessage[] = [];
  run: (RunningTurn & { turnId: string; offered: Set<number> }) | undefined;
  now = 0;

  constructor(chosen: Settings) {
    this.#settings = chosen;
  }

  get waiting() {
    return this.all.filter(({ state }) => ['received', 'queued', 'running'].includes(state));
  }

  arrive(wanted: { conversation: string; text: string }) {
    this.all.push(message(this.all.length + 1, { ...wanted, receivedAt: this.now }));
  }

  #move(seqs: readonly number[], to: InboxState) {
    for (const seq of seqs) {
      const former = this.all[seq - 1]!;
      expect(['received', 'queued', 'running'], `${seq} has an end`).toContain(former.state);
      this.all[seq - 1] = { ...former, ...to } as InboxMessage;
    }
  }

  look(): 'nothing' | 'waits' | 'begun' {
    const chosen = rules(this.#settings, this.now);
    if (this.run !== undefined) {
      this.#lookDuringRun(this.run);
      return 'waits';
    }
    const { drops, next } = planNext(this.waiting, chosen);
    for (const { seqs, reason } of drops) this.#move(seqs, { state: 'dropped', reason });
    if (next.step === 'nothing') return 'nothing';
    if (next.step === 'wait') {
      expect(next.until).toBeGreaterThan(this.now);
      expect(next.until - this.now).toBeLessThanOrEqual(this.#settings.debounceMs);
      return 'waits';
    }
    const seqs = next.messages.map(({ seq }) => seq);
    const [target, ...others] = new Set(next.messages.map(targetOf));
    expect(others).toEqual([]);
    const turnId = next.step === 'recover' ? next.turnId : `t${this.turns.size + 1}`;
    if (next.step === 'start') {
      for (const seq of seqs) for (const turn of this.turns.values()) expect(turn).not.toContain(seq);
      this.turns.set(turnId, seqs);
      this.began.push({ target: target!, seqs });
      this.#move(next.queue, { state: 'queued' });
      if (seqs.length > 1) expect(next.messages.map(kindOf)).toEqual(seqs.map(() => 'text'));
    }
    this.#move(seqs, { state: 'running', turnId });
    this.run = { turnId, target: target!, offered: new Set(), steering: 'not yet' };
    return 'begun';
  }

  #lookDuringRun(run: NonNullable<Session['run']>) {
    const plan = planArrivals(this.waiting, run, rules(this.#settings, this.now));
    const touched = [
      ...plan.drops.flatMap(({ seqs }) => seqs),
      ...plan.queue,
      ...plan.steer.map((s) => s.message.seq),
    ];
    expect(new Set(touched).size).toBe(touched.length);
    for (const { seqs, reason } of plan.drops) this.#move(seqs, { state: 'dropped', reason });
    this.#move(plan.queue, { state: 'queued' });
    for (const { message: steered, joins } of plan.steer) {
      run.offered.add(steered.seq);
      expect(targetOf(steered)).toBe(run.target);
      if (!joins) this.#move([steered.seq], { state: 'queued' });
      else {
        this.turns.get(run.turnId)!.push(steered.seq);
        this.#move([steered.seq], { state: 'running', turnId: run.turnId });
      }
    }
    for (const queue of Map.groupBy(this.waiting, targetOf).values()) {
      const count = queue.filter(({ state, seq, ctx }) => {
        return state !== 'running' && ctx.RawBody !== '/stop' && !run.offered.has(seq);
      }).length;
      expect(count).toBeLessThanOrEqual(this.#settings.cap);
    }
    if (plan.abort !== undefined) this.end();
  }

  open() {
    if (this.run?.steering === 'not yet') this.run = { ...this.run, steering: 'open' };
  }

  end() {
    if (this.run === undefined) return;
    const { turnId } = this.run;
    this.#move(this.turns.get(turnId)!, { state: 'answered', turnId });
    this.run = undefined;
  }

  play(played: Step) {
    if (played.do === 'arrive') this.arrive(played);
    else if (played.do === 'look') this.look();
    else if (played.do === 'open') this.open();
    else if (played.do === 'end') this.end();
    else if (played.do === 'crash') this.run = undefined;
    else this.now += played.ms;
  }

  finish() {
    for (let rounds = 0; ; rounds++) {
      expect(rounds).toBeLessThan(1000);
      this.end();
      const found = this.look();
      if (found === 'nothing') return;
      if (found === 'waits') this.now += 1000;
    }
  }
}

test('each message has one turn or a reason, in order, and no turn has two places', HUNT, () => {
  fc.assert(
    fc.property(settings, fc.array(step, { maxLength: 60 }), (chosen, steps) => {
      const session = new Session(chosen);
      for (const played of steps) session.play(played);
      session.finish();

      const inTurns = [...session.turns.values()].flat();
      expect(new Set(inTurns).size).toBe(inTurns.length);
      for (const { seq, state } of session.all) {
        expect(state).toBe(inTurns.includes(seq) ? 'answered' : 'dropped');
      }
      for (const turns of Map.groupBy(session.began, ({ target }) => target).values()) {
        const order = turns.flatMap(({ seqs }) => seqs.slice());
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
      for (const seqs of session.turns.values()) expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      if (chosen.mode === 'followup') for (const { seqs } of session.began) expect(seqs).toHaveLength(1);
    }),
    cases({ gate: 400, torture: 50_000 }),
  );
});
