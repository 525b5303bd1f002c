import { describe, expect, test } from 'vitest';
import { planArrivals, planNext, type RunningTurn, targetOf } from '../../src/queue/plan.ts';
import { message, queued, rules, seqsOf } from './messages.ts';

function start(...args: Parameters<typeof planNext>) {
  const { next, drops } = planNext(...args);
  if (next.step !== 'start') return next.step === 'wait' ? { until: next.until } : { step: next.step };
  return { seqs: seqsOf(next.messages), queue: next.queue, ...(drops.length > 0 ? { drops } : {}) };
}

function run(overrides: Partial<RunningTurn> = {}): RunningTurn {
  return { target: targetOf(message(1)), offered: new Set(), steering: 'open', ...overrides };
}

describe('a session without a run', () => {
  test('has nothing to do without messages', () => {
    expect(start([], rules())).toEqual({ step: 'nothing' });
  });

  test('answers a message at once, whatever the mode and the debounce', () => {
    for (const mode of ['steer', 'followup', 'collect', 'steer-backlog', 'interrupt'] as const) {
      expect(start([message(1, { receivedAt: 50 })], rules({ mode }, 50))).toEqual({ seqs: [1], queue: [] });
    }
  });

  test('collects what waits, and gives others one turn each', () => {
    const three = [message(1), message(2), message(3)];
    expect(start(three, rules({ mode: 'collect' }))).toEqual({ seqs: [1, 2, 3], queue: [] });
    expect(start(three, rules({ mode: 'interrupt' }))).toEqual({ seqs: [1, 2, 3], queue: [] });
    expect(start(three, rules({ mode: 'followup' }))).toEqual({ seqs: [1], queue: [2, 3] });
    // These are offered to the run.
    expect(start(three, rules({ mode: 'steer' }))).toEqual({ seqs: [1], queue: [] });
  });

  test('never answers two places in one turn', () => {
    const mixed = [
      message(1),
      message(2, { threadId: '7' }),
      message(3, { conversation: 'other' }),
      message(4),
      message(5, { channel: 'telegram' }),
    ];
    expect(start(mixed, rules({ mode: 'collect' }))).toEqual({ seqs: [1, 4], queue: [2, 3, 5] });
  });

  test('never answers with two models in one turn', () => {
    const mixed = [message(1), { ...message(2), wish: { model: 'a/b' } }, message(3)];
    expect(start(mixed, rules({ mode: 'collect' }))).toEqual({ seqs: [1, 3], queue: [2] });
  });

  test('waits for quiet before a message that had to wait', () => {
    const two = [message(1, { receivedAt: 100 }, queued), message(2, { receivedAt: 700 }, queued)];
    expect(start(two, rules({}, 800))).toEqual({ until: 1700 });
    expect(start(two, rules({}, 1700))).toEqual({ seqs: [1, 2], queue: [] });
    expect(start(two, rules({ mode: 'followup' }, 800))).toEqual({ until: 1700 });
    expect(start(two, rules({ mode: 'interrupt' }, 800))).toEqual({ seqs: [1, 2], queue: [] });
  });

  test('does not wait for quiet for ever', () => {
    const stream = Array.from({ length: 12 }, (_, n) => message(n + 1, { receivedAt: n * 900 }, queued));
    expect(start(stream.slice(0, 11), rules({}, 9100))).toEqual({ until: 10_000 });
    expect(start(stream, rules({}, 10_000))).toMatchObject({ seqs: seqsOf(stream) });
    expect(start(stream.slice(0, 5), rules({ cap: 5 }, 3600))).toMatchObject({ seqs: [1, 2, 3, 4, 5] });
  });

  test('does not wait for a clock that was set back', () => {
    const late = [message(1, { receivedAt: 9_000_000 }, queued)];
    expect(start(late, rules({}, 1000))).toEqual({ seqs: [1], queue: [] });
  });

  test('a place that is due does not wait for one that is not', () => {
    const two = [
      message(1, { receivedAt: 900 }, queued),
      message(2, { conversation: 'other', receivedAt: 950 }),
    ];
    expect(start(two, rules({}, 1000))).toEqual({ seqs: [2], queue: [] });
  });

  test('a command has a turn of its own, in its place', () => {
    const line = [message(1), message(2), message(3, { text: '/new' }), message(4), message(5)];
    expect(start(line, rules())).toEqual({ seqs: [1, 2], queue: [3, 4, 5] });
    expect(start(line.slice(2), rules())).toEqual({ seqs: [3], queue: [4, 5] });
    const waited = [
      message(3, { text: '/new', receivedAt: 10 }, queued),
      message(4, { receivedAt: 10 }, queued),
    ];
    expect(start(waited, rules({}, 20))).toEqual({ seqs: [3], queue: [] });
  });

  test('a stop withdraws what waits before it in its place', () => {
    const line = [
      message(1),
      message(2, { conversation: 'other' }),
      message(3, { text: '/stop' }),
      message(4),
    ];
    const { drops, next } = planNext(line, rules());
    expect(drops).toEqual([{ seqs: [1], reason: 'withdrawn: the sender asked to stop' }]);
    expect(next).toMatchObject({ step: 'start', messages: [{ seq: 3 }], queue: [4, 2] });
  });

  test('a turn that another process began comes first, with all its messages', () => {
    const running = { state: 'running', turnId: 't' } as const;
    const line = [message(1, {}, queued), message(2, {}, running), message(3), message(4, {}, running)];
    const { next } = planNext(line, rules());
    expect(next).toMatchObject({ step: 'recover', turnId: 't', messages: [{ seq: 2 }, { seq: 4 }] });
  });
});

describe('a full queue', () => {
  const five = Array.from({ length: 5 }, (_, n) => message(n + 1, {}, queued));

  test('drops by its policy', () => {
    expect(planNext(five, rules({ cap: 3, dropPolicy: 'old' }, 5000)).drops).toEqual([
      { seqs: [1, 2], reason: 'queue full: the oldest gives way' },
    ]);
    expect(planNext(five, rules({ cap: 3, dropPolicy: 'new' }, 5000)).drops).toEqual([
      { seqs: [4, 5], reason: 'queue full: the newest gives way' },
    ]);
    expect(planNext(five, rules({ cap: 3, dropPolicy: 'summarize' }, 5000)).drops).toEqual([
      { seqs: [1, 2], reason: 'queue full: named in the next turn' },
    ]);
    expect(start(five, rules({ cap: 3, dropPolicy: 'new' }, 5000))).toMatchObject({ seqs: [1, 2, 3] });
  });

  test('counts each place by itself', () => {
    const other = Array.from({ length: 3 }, (_, n) => message(n + 11, { conversation: 'other' }, queued));
    const { drops } = planArrivals([...five, ...other], run(), rules({ cap: 3, dropPolicy: 'old' }));
    expect(drops).toEqual([{ seqs: [1, 2], reason: 'queue full: the oldest gives way' }]);
  });

  test('does not count the message that an idle session answers at once', () => {
    const two = [message(1), message(2)];
    expect(start(two, rules({ mode: 'followup', cap: 1, dropPolicy: 'new' }))).toEqual({
      seqs: [1],
      queue: [2],
    });
  });
});

describe('messages during a run', () => {
  const arrivals = [message(2), message(3)];

  test('wait in the modes followup and collect', () => {
    for (const mode of ['followup', 'collect'] as const) {
      expect(planArrivals(arrivals, run(), rules({ mode }))).toEqual({
        drops: [],
        queue: [2, 3],
        steer: [],
        abort: undefined,
      });
    }
  });

  test('join it in the mode steer', () => {
    const plan = planArrivals(arrivals, run(), rules({ mode: 'steer' }));
    expect(plan.steer.map(({ message: { seq }, joins }) => [seq, joins])).toEqual([
      [2, true],
      [3, true],
    ]);
    expect(plan.queue).toEqual([]);
  });

  test('stay as they are while the run is being prepared', () => {
    const plan = planArrivals(arrivals, run({ steering: 'not yet' }), rules({ mode: 'steer' }));
    expect(plan).toMatchObject({ queue: [], steer: [] });
  });

  test('wait when the run takes none any more, or answers in another place, or when they are commands', () => {
    const steer = rules({ mode: 'steer' });
    expect(planArrivals(arrivals, run({ steering: 'closed' }), steer)).toMatchObject({
      queue: [2, 3],
      steer: [],
    });
    expect(planArrivals(arrivals, run({ target: 'other' }), steer)).toMatchObject({
      queue: [2, 3],
      steer: [],
    });
    const command = [message(2, { text: '/status' }), message(3)];
    expect(planArrivals(command, run(), steer)).toMatchObject({ queue: [2, 3], steer: [] });
  });

  test('do not overtake one that waits', () => {
    const plan = planArrivals([message(2, {}, queued), message(3)], run(), rules({ mode: 'steer' }));
    expect(plan).toMatchObject({ queue: [3], steer: [] });
  });

  test('are offered once', () => {
    const plan = planArrivals(arrivals, run({ offered: new Set([2]) }), rules({ mode: 'steer' }));
    expect(plan.steer.map(({ message: { seq } }) => seq)).toEqual([3]);
  });

  test('are hints in the mode steer-backlog, also behind one that was', () => {
    const plan = planArrivals([message(2, {}, queued), message(3)], run(), rules({ mode: 'steer-backlog' }));
    expect(plan.steer.map(({ message: { seq }, joins }) => [seq, joins])).toEqual([[3, false]]);
  });

  test('interrupt it once', () => {
    const interrupt = rules({ mode: 'interrupt' });
    expect(planArrivals(arrivals, run(), interrupt)).toMatchObject({ abort: 'interrupt', queue: [2, 3] });
    const former = [message(2, {}, queued)];
    expect(planArrivals(former, run(), interrupt)).toMatchObject({ abort: undefined, queue: [] });
  });

  test('a stop ends it in every mode, and withdraws what waits', () => {
    const line = [message(2, {}, queued), message(3), message(4, { text: '/stop' })];
    expect(planArrivals(line, run(), rules({ mode: 'collect' }))).toMatchObject({
      abort: 'person',
      drops: [{ seqs: [2, 3] }],
      queue: [4],
    });
  });
});
