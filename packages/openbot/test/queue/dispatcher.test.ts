import { describe, expect, test } from 'vitest';
import type { InboxMessage } from '../../src/inbox/contract.ts';
import { openMemoryInbox } from '../../src/inbox/memory/memory-inbox.ts';
import { openMemoryRunLock } from '../../src/run-lock/memory/memory-run-lock.ts';
import { makeQueue, openSteering } from './bench.ts';

const idsOf = ({ turns }: ReturnType<typeof makeQueue>) => turns.map(({ ids }) => ids);

describe('one session', () => {
  test('a message gets its turn, and is answered when the turn has ended', async () => {
    const queue = makeQueue();
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    expect(turn.work).toMatchObject({
      agentId: 'main',
      sessionKey: 'agent:main:main',
      recovering: false,
    });
    expect(await queue.states()).toEqual({ a: `running ${turn.work.turnId}` });
    turn.end();
    await queue.dispatcher.idle();
    expect(await queue.states()).toEqual({ a: `answered ${turn.work.turnId}` });
    expect(await queue.runLock.holder('agent:main:main')).toBeUndefined();
  });

  test('has one run at a time; what arrives meanwhile is collected after a quiet time', async () => {
    const queue = makeQueue();
    await queue.send({ id: 'a' });
    const first = await queue.turn(1);
    await queue.send({ id: 'b' });
    await queue.clock.advance(200);
    await queue.send({ id: 'c' });
    await queue.clock.advance(50);
    expect(await queue.states()).toMatchObject({ b: 'queued', c: 'queued' });
    first.end();
    await queue.clock.advance(900);
    expect(queue.turns).toHaveLength(1);
    await queue.clock.advance(60);
    expect(idsOf(queue)).toEqual([['a'], ['b', 'c']]);
  });

  test('a message that comes while the session is being left is not forgotten', async () => {
    const lock = openMemoryRunLock();
    let atRelease = async () => {};
    const queue = makeQueue({
      runLock: {
        ...lock,
        acquire: async (key, options) => {
          const held = await lock.acquire(key, options);
          return (
            held && {
              ...held,
              release: async () => {
                await atRelease();
                await held.release();
              },
            }
          );
        },
      },
    });
    await queue.send({ id: 'a' });
    atRelease = async () => {
      atRelease = async () => {};
      await queue.send({ id: 'b' });
    };
    (await queue.turn(1)).end();
    (await queue.turn(2)).end();
    await queue.dispatcher.idle();
    expect(idsOf(queue)).toEqual([['a'], ['b']]);
  });

  test('followup: a turn each, in order', async () => {
    const queue = makeQueue({ settings: { mode: 'followup', debounceMs: 0 } });
    for (const id of ['a', 'b', 'c']) await queue.send({ id });
    for (const number of [1, 2, 3]) (await queue.turn(number)).end();
    await queue.dispatcher.idle();
    expect(idsOf(queue)).toEqual([['a'], ['b'], ['c']]);
  });

  test('steer: a message joins the run, and belongs to its turn once the agent has read it', async () => {
    const queue = makeQueue({ settings: { mode: 'steer' } });
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    await queue.send({ id: 'b' });
    await queue.clock.advance(300);
    expect(await queue.states()).toMatchObject({ b: 'received' });
    const taken = openSteering(turn);
    await queue.clock.advance(1);
    expect(taken).toEqual(['b']);
    expect(await queue.states()).toMatchObject({ b: `running ${turn.work.turnId}` });
    turn.end();
    await queue.dispatcher.idle();
    expect(await queue.states()).toMatchObject({ b: `answered ${turn.work.turnId}` });
    expect(queue.turns).toHaveLength(1);
  });

  test('steer: a message that another process accepted joins too', async () => {
    const queue = makeQueue({ settings: { mode: 'steer' } });
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    const taken = openSteering(turn);
    await queue.clock.advance(1);
    await queue.send({ id: 'b', isForeign: true });
    await queue.clock.advance(100);
    expect(taken).toEqual(['b']);
    turn.end();
    await queue.dispatcher.idle();
  });

  test('steer: a run that takes no message leaves it, and those after it, for their own turns', async () => {
    const queue = makeQueue({ settings: { mode: 'steer', debounceMs: 0 } });
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    let isOpen = true;
    const taken = openSteering(turn, () => isOpen);
    await queue.send({ id: 'b' });
    await queue.clock.advance(1);
    isOpen = false;
    await queue.send({ id: 'c' });
    await queue.clock.advance(1);
    isOpen = true;
    await queue.send({ id: 'd' });
    await queue.clock.advance(1);
    expect(taken).toEqual(['b']);
    turn.end();
    (await queue.turn(2)).end();
    (await queue.turn(3)).end();
    await queue.dispatcher.idle();
    expect(idsOf(queue)).toEqual([['a'], ['c'], ['d']]);
  });

  test('steer: what the agent took and did not read gets a turn', async () => {
    const queue = makeQueue({ settings: { mode: 'steer' } });
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    turn.work.openSteering(() => true);
    await queue.send({ id: 'b' });
    await queue.clock.advance(1);
    turn.end();
    expect((await queue.turn(2)).ids).toEqual(['b']);
  });

  test('steer-backlog: a hint now, and one turn that owns the message', async () => {
    const queue = makeQueue({ settings: { mode: 'steer-backlog' } });
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    const taken = openSteering(turn);
    await queue.send({ id: 'b' });
    await queue.clock.advance(1);
    expect(taken).toEqual(['b (hint)']);
    expect(await queue.states()).toMatchObject({ b: 'queued' });
    turn.end();
    const second = await queue.turn(2);
    expect(second.ids).toEqual(['b']);
    second.end();
    await queue.dispatcher.idle();
    expect(await queue.states()).toMatchObject({ b: `answered ${second.work.turnId}` });
  });

  test('interrupt: the run is aborted with the reason, and the newer messages are answered', async () => {
    const queue = makeQueue({ settings: { mode: 'interrupt' } });
    await queue.send({ id: 'a' });
    const first = await queue.turn(1);
    await queue.send({ id: 'b' });
    const second = await queue.turn(2);
    expect(first.work.signal.reason).toMatchObject({ code: 'RUN_INTERRUPTED' });
    expect(second.ids).toEqual(['b']);
    expect(await queue.states()).toMatchObject({ a: `answered ${first.work.turnId}` });
    await queue.clock.advance(500);
    expect(second.work.signal.aborted).toBe(false);
  });

  test('a stop ends the run and what waits, and gets its own turn', async () => {
    const dropped: (readonly [string[], string])[] = [];
    const queue = makeQueue({
      onDropped: (messages, reason) => dropped.push([messages.map((m) => m.identity.messageId), reason]),
    });
    await queue.send({ id: 'a' });
    const first = await queue.turn(1);
    await queue.send({ id: 'b' });
    await queue.clock.advance(1);
    await queue.send({ id: 'c', text: '/stop' });
    expect((await queue.turn(2)).ids).toEqual(['c']);
    expect(first.work.signal.reason).toMatchObject({ code: 'RUN_STOPPED' });
    expect(await queue.states()).toMatchObject({ b: 'dropped' });
    expect(dropped).toEqual([[['b'], 'withdrawn: the sender asked to stop']]);
  });

  test('a full queue names in the next turn what it dropped, once', async () => {
    const queue = makeQueue({ settings: { cap: 2, debounceMs: 0, mode: 'followup' } });
    await queue.send({ id: 'a' });
    const first = await queue.turn(1);
    for (const id of ['b', 'c', 'd', 'e']) await queue.send({ id, text: `words of ${id}` });
    await queue.clock.advance(1);
    expect(await queue.states()).toMatchObject({ b: 'dropped', c: 'dropped', d: 'queued', e: 'queued' });
    first.end();
    const second = await queue.turn(2);
    expect(second.ids).toEqual(['d']);
    expect(second.work.note).toBe(
      '[2 earlier messages were left out because the queue was full]\n- words of b\n- words of c',
    );
    second.end();
    expect((await queue.turn(3)).work.note).toBeUndefined();
  });
});

describe('several sessions', () => {
  test('take turns: a busy one does not starve others', async () => {
    const queue = makeQueue({ maxConcurrentRuns: 1, settings: { mode: 'followup', debounceMs: 0 } });
    for (let n = 1; n <= 5; n++) await queue.send({ id: `busy-${n}`, sessionKey: 'agent:main:busy' });
    const first = await queue.turn(1);
    await queue.send({ id: 'x', sessionKey: 'agent:main:x' });
    await queue.send({ id: 'y', sessionKey: 'agent:main:y' });
    first.end();
    for (let number = 2; number <= 7; number++) (await queue.turn(number)).end();
    await queue.dispatcher.idle();
    expect(idsOf(queue).flat()).toEqual(['busy-1', 'x', 'y', 'busy-2', 'busy-3', 'busy-4', 'busy-5']);
  });

  test('a stuck run does not hold up others', async () => {
    const queue = makeQueue({ maxConcurrentRuns: 2 });
    await queue.send({ id: 'stuck', sessionKey: 'agent:main:stuck' });
    await queue.turn(1);
    for (let n = 1; n <= 3; n++) {
      await queue.send({ id: `m${n}`, sessionKey: 'agent:main:other' });
      (await queue.turn(n + 1)).end();
      await queue.clock.advance(1);
    }
    expect(idsOf(queue).flat()).toEqual(['stuck', 'm1', 'm2', 'm3']);
  });

  test('all agents together and each agent have a limit', async () => {
    const queue = makeQueue({
      maxConcurrentRuns: 3,
      maxConcurrentOf: (id) => (id === 'small' ? 1 : undefined),
    });
    for (const n of [1, 2, 3])
      await queue.send({ id: `s${n}`, agentId: 'small', sessionKey: `agent:small:${n}` });
    for (const n of [1, 2, 3])
      await queue.send({ id: `b${n}`, agentId: 'big', sessionKey: `agent:big:${n}` });
    await queue.clock.advance(1);
    expect(idsOf(queue).flat()).toEqual(['s1', 'b1', 'b2']);
    queue.turns[1]!.end();
    await queue.clock.advance(1);
    expect(idsOf(queue).flat()).toEqual(['s1', 'b1', 'b2', 'b3']);
    queue.turns[0]!.end();
    await queue.clock.advance(1);
    expect(idsOf(queue).flat()).toEqual(['s1', 'b1', 'b2', 'b3', 's2']);
  });

  test('an agent whose limit cannot be found is served without one', async () => {
    const queue = makeQueue({
      maxConcurrentOf: () => {
        throw new Error('There is no such agent');
      },
    });
    await queue.send({ id: 'a', agentId: 'ghost', sessionKey: 'agent:ghost:main' });
    await queue.send({ id: 'b' });
    await queue.clock.advance(1);
    expect(idsOf(queue).flat()).toEqual(['a', 'b']);
  });
});

describe('several processes', () => {
  test('the one with the lock answers what the other accepted, and the other becomes idle', async () => {
    const one = makeQueue({ settings: { mode: 'followup', debounceMs: 0 } });
    const two = makeQueue({ shared: one, settings: { mode: 'followup', debounceMs: 0 } });
    await one.send({ id: 'a' });
    const first = await one.turn(1);
    await two.send({ id: 'b' });
    await two.clock.advance(500);
    expect(two.turns).toEqual([]);
    let isIdle = false;
    void two.dispatcher.idle().then(() => {
      isIdle = true;
    });
    first.end();
    (await one.turn(2)).end();
    await two.clock.until(() => isIdle);
    expect([...idsOf(one), ...idsOf(two)]).toEqual([['a'], ['b']]);
  });

  test('a session that another process runs does not hold up others', async () => {
    const held: string[] = [];
    const queue = makeQueue({ maxConcurrentRuns: 1, onHeld: (sessionKey) => held.push(sessionKey) });
    const foreign = await queue.runLock.acquire('agent:main:held', { waitMs: 0 });
    await queue.send({ id: 'held', sessionKey: 'agent:main:held' });
    await queue.send({ id: 'free', sessionKey: 'agent:main:free' });
    (await queue.turn(1)).end();
    await queue.clock.advance(5000);
    expect(idsOf(queue)).toEqual([['free']]);
    expect(held).toEqual(['agent:main:held']);
    await foreign?.release();
    expect((await queue.turn(2)).ids).toEqual(['held']);
  });

  test('a run whose lock was lost is aborted, and its end is left to the other process', async () => {
    const lock = openMemoryRunLock();
    let isLost = false;
    const queue = makeQueue({
      runLock: {
        ...lock,
        acquire: async (key, options) => {
          const held = await lock.acquire(key, options);
          return held && { ...held, isHeld: () => !isLost && held.isHeld() };
        },
      },
    });
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    isLost = true;
    await queue.clock.advance(100);
    expect(turn.work.signal.reason).toMatchObject({ code: 'RUN_LOCK_LOST' });
    expect(await queue.states()).toEqual({ a: `running ${turn.work.turnId}` });
    await queue.dispatcher.stop();
  });

  test('messages that a dead process left are taken up at the start, and again later', async () => {
    const queue = makeQueue({ sweepMs: 5000 });
    await queue.send({ id: 'a', isForeign: true });
    await queue.dispatcher.recover();
    (await queue.turn(1)).end();
    await queue.clock.advance(100);
    await queue.send({ id: 'b', isForeign: true, sessionKey: 'agent:main:other' });
    await queue.clock.advance(5000);
    expect(idsOf(queue)).toEqual([['a'], ['b']]);
    await queue.dispatcher.stop({ abort: true });
  });
});

describe('recovery', () => {
  test('a turn that a dead process began is handed over first, with its id', async () => {
    const queue = makeQueue();
    const a = await queue.send({ id: 'a', isForeign: true });
    const b = await queue.send({ id: 'b', isForeign: true });
    await queue.send({ id: 'c', isForeign: true });
    await queue.inbox.move([a, b], { state: 'running', turnId: 'dead' });
    await queue.dispatcher.recover();
    const turn = await queue.turn(1);
    expect(turn.ids).toEqual(['a', 'b']);
    expect(turn.work).toMatchObject({ turnId: 'dead', recovering: true });
    turn.end();
    expect((await queue.turn(2)).ids).toEqual(['c']);
    expect(await queue.states()).toMatchObject({ a: 'answered dead', b: 'answered dead' });
  });

  test('a message that the dead run had taken in joins its turn', async () => {
    const queue = makeQueue({ settings: { mode: 'steer' } });
    const a = await queue.send({ id: 'a', isForeign: true });
    const b = await queue.send({ id: 'b', isForeign: true });
    await queue.inbox.move([a], { state: 'running', turnId: 'dead' });
    await queue.dispatcher.recover();
    const turn = await queue.turn(1);
    await turn.work.joined(b);
    turn.end();
    await queue.dispatcher.idle();
    expect(await queue.states()).toEqual({ a: 'answered dead', b: 'answered dead' });
    expect(queue.turns).toHaveLength(1);
  });

  test('after three runs an answer may still be delivered, but no run is begun', async () => {
    const queue = makeQueue();
    const a = await queue.send({ id: 'a', isForeign: true });
    for (let n = 0; n < 3; n++) await queue.inbox.move([a], { state: 'running', turnId: 'dead' });
    await queue.dispatcher.recover();
    const turn = await queue.turn(1);
    expect(turn.work).toMatchObject({ turnId: 'dead', recovering: true, mayRun: false });
    turn.end({ end: 'failed', error: 'no answer' });
    await queue.dispatcher.idle();
    expect(await queue.inbox.get(a)).toMatchObject({ state: 'failed', turnId: 'dead', error: 'no answer' });
  });

  test('a message that ends the process each time fails, and the person gets an error before', async () => {
    const told: string[] = [];
    const queue = makeQueue({
      onFailed: async ({ turnId, error, messages }) => {
        told.push(`${turnId}: ${error}`);
        expect(await queue.inbox.get(messages[0]!.seq)).toMatchObject({ state: 'running' });
        return () => {};
      },
    });
    const a = await queue.send({ id: 'a', isForeign: true });
    for (let n = 0; n < 4; n++) await queue.inbox.move([a], { state: 'running', turnId: 'dead' });
    await queue.send({ id: 'b' });
    (await queue.turn(1)).end();
    await queue.dispatcher.idle();
    expect(told).toEqual(['dead: The process ended during each of 3 runs.']);
    expect(await queue.inbox.get(a)).toMatchObject({ state: 'failed', turnId: 'dead' });
    expect(idsOf(queue)).toEqual([['b']]);
  });

  test('a turn that waits for a model is tried after growing pauses, and as late as the provider asks', async () => {
    const told: string[] = [];
    const queue = makeQueue({
      onOutage: async ({ messages, turnId }) =>
        void told.push(...messages.map(({ identity }) => `${turnId} ${identity.messageId}`)),
    });
    const outage = { models: ['far/m'], summary: 'far/m cannot be reached' };
    const startedAt: number[] = [];
    await queue.send({ id: 'a' });
    for (let n = 1; n <= 9; n++) {
      const turn = await queue.turn(n);
      startedAt.push(queue.clock.now());
      turn.end({ end: 'held', outage, ...(n === 9 && { retryAfterMs: 900_000 }) });
    }
    await queue.send({ id: 'b' });
    (await queue.turn(10)).end();
    startedAt.push(queue.clock.now());
    (await queue.turn(11)).end();
    await queue.dispatcher.idle();
    const pauses = startedAt.slice(1).map((at, n) => Math.round((at - startedAt[n]!) / 1000));
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 900]);
    expect(idsOf(queue)).toEqual([...Array(10).fill(['a']), ['b']]);
    expect(new Set(queue.turns.map(({ work }) => work.turnId)).size).toBe(2);
    expect(told).toEqual([`${queue.turns[0]!.work.turnId} a`]);
    expect(await queue.inbox.get(1)).toMatchObject({ state: 'answered', tries: 1 });
  });

  test('a turn that fails after its model has answered another session is tried at once', async () => {
    const queue = makeQueue();
    const outage = { models: ['far/m'], summary: 'far/m cannot be reached' };
    await queue.send({ id: 'a', sessionKey: 'agent:main:a' });
    const late = await queue.turn(1);
    await queue.send({ id: 'b', sessionKey: 'agent:main:b' });
    (await queue.turn(2)).end({ end: 'answered', by: 'far/m' });
    await queue.clock.until(async () => (await queue.inbox.get(2))?.state === 'answered');
    const before = queue.clock.now();
    late.end({ end: 'held', outage });
    (await queue.turn(3)).end({ end: 'answered', by: 'far/m' });
    expect(queue.clock.now() - before).toBeLessThan(100);
    await queue.dispatcher.idle();
    expect(idsOf(queue)).toEqual([['a'], ['b'], ['a']]);
  });

  test('a model that answers while a session begins to wait for it is tried at once', async () => {
    const lock = openMemoryRunLock();
    const isLeft = Promise.withResolvers<void>();
    let isLeaving = false;
    const queue = makeQueue({
      runLock: {
        ...lock,
        acquire: async (key, options) => {
          const held = await lock.acquire(key, options);
          const release = async () => {
            if (key === 'agent:main:a') {
              isLeaving = true;
              await isLeft.promise;
            }
            await held?.release();
          };
          return held && { ...held, release };
        },
      },
    });
    const outage = { models: ['far/m'], summary: 'far/m cannot be reached' };
    await queue.send({ id: 'a', sessionKey: 'agent:main:a' });
    (await queue.turn(1)).end({ end: 'held', outage });
    await queue.clock.until(() => isLeaving);
    await queue.send({ id: 'b', sessionKey: 'agent:main:b' });
    (await queue.turn(2)).end({ end: 'answered', by: 'far/m' });
    await queue.clock.until(async () => (await queue.inbox.get(2))?.state === 'answered');
    const before = queue.clock.now();
    isLeft.resolve();
    (await queue.turn(3)).end({ end: 'answered', by: 'far/m' });
    expect(queue.clock.now() - before).toBeLessThan(100);
    await queue.dispatcher.idle();
    expect(idsOf(queue)).toEqual([['a'], ['b'], ['a']]);
  });

  test('who ends a try of a turn that waits for a model takes back what waits behind it', async () => {
    const queue = makeQueue();
    const outage = { models: ['far/m'], summary: 'far/m cannot be reached' };
    await queue.send({ id: 'a' });
    (await queue.turn(1)).end({ end: 'held', outage });
    const again = await queue.turn(2);
    expect(queue.dispatcher.waits).toMatchObject([{ model: 'far/m', sessions: 1 }]);
    await queue.send({ id: 'b' });
    expect(queue.dispatcher.abort('agent:main:main')).toBe(true);
    expect(again.work.signal.aborted).toBe(true);
    await queue.dispatcher.idle();
    expect(queue.dispatcher.waits).toEqual([]);
    expect(idsOf(queue)).toEqual([['a'], ['a']]);
    expect(await queue.inbox.get(1)).toMatchObject({ state: 'answered' });
    expect(await queue.inbox.get(2)).toMatchObject({ state: 'dropped' });
  });

  test('a turn that throws is tried again with the same id, and then no run is begun', async () => {
    const told: string[] = [];
    const queue = makeQueue({
      onFailed:
        async ({ error }) =>
        () =>
          told.push(error),
    });
    const a = await queue.send({ id: 'a' });
    for (const number of [1, 2, 3, 4]) (await queue.turn(number)).fail(new Error(`broken ${number}`));
    await queue.clock.until(() => told.length > 0);
    expect(told).toEqual(['broken 4']);
    expect(new Set(queue.turns.map(({ work }) => work.turnId)).size).toBe(1);
    expect(queue.turns.map(({ work }) => work.recovering)).toEqual([false, true, true, true]);
    expect(queue.turns.map(({ work }) => work.mayRun)).toEqual([true, true, true, false]);
    await queue.dispatcher.idle();
    expect(await queue.inbox.get(a)).toMatchObject({ state: 'failed', error: 'broken 4' });
  });

  test('a full disk is waited for: it does not use up the tries', async () => {
    const worked: string[] = [];
    const queue = makeQueue({ onWorked: (lane) => worked.push(lane!.sessionKey) });
    const a = await queue.send({ id: 'a' });
    for (let number = 1; number <= 8; number++) {
      const error = new Error('write failed', {
        cause: Object.assign(new Error('full'), { code: 'ENOSPC' }),
      });
      (await queue.turn(number)).fail(error);
    }
    (await queue.turn(9)).end();
    await queue.dispatcher.idle();
    expect(await queue.inbox.get(a)).toMatchObject({ state: 'answered', tries: 1 });
    expect(queue.turns.every(({ work }) => work.mayRun)).toBe(true);
    expect(queue.troubles).toHaveLength(8);
    expect(worked).toEqual(['agent:main:main']);
  });

  test('a failing inbox loses and repeats nothing', async () => {
    const inbox = openMemoryInbox();
    let failures = 0;
    const busy = () => {
      if (failures-- > 0) throw Object.assign(new Error('database is locked'), { errcode: 5 });
    };
    const failing = {
      ...inbox,
      waiting: async (...args: Parameters<typeof inbox.waiting>) => {
        busy();
        return inbox.waiting(...args);
      },
      move: async (...args: Parameters<typeof inbox.move>) => {
        busy();
        return inbox.move(...args);
      },
    };
    const queue = makeQueue({ inbox: failing });
    // The look, and then the beginning.
    failures = 3;
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    // The end: the turn is over and is not run again.
    failures = 3;
    turn.end();
    let isIdle = false;
    void queue.dispatcher.idle().then(() => {
      isIdle = true;
    });
    await queue.clock.until(() => isIdle);
    expect(queue.turns).toHaveLength(1);
    expect(await queue.states()).toEqual({ a: `answered ${turn.work.turnId}` });
    expect(queue.troubles.length).toBeGreaterThanOrEqual(6);
  });
});

describe('the end of the process', () => {
  test('stop waits for runs, starts none, and leaves the rest in the inbox', async () => {
    const queue = makeQueue({ maxConcurrentRuns: 1 });
    await queue.send({ id: 'a' });
    await queue.send({ id: 'b', sessionKey: 'agent:main:other' });
    const turn = await queue.turn(1);
    let isStopped = false;
    const stopped = queue.dispatcher.stop().then(() => {
      isStopped = true;
    });
    await queue.clock.advance(1000);
    expect(isStopped).toBe(false);
    turn.end();
    await stopped;
    expect(await queue.states()).toEqual({ a: `answered ${turn.work.turnId}`, b: 'received' });
    expect(queue.turns).toHaveLength(1);
  });

  test('stop with abort leaves a turn for the next process when the turn says so', async () => {
    const reasons: unknown[] = [];
    const begun: InboxMessage[] = [];
    const queue = makeQueue({
      runTurn: async (work) => {
        await work.begun;
        begun.push(...work.messages);
        await new Promise((resolve) => work.signal.addEventListener('abort', resolve));
        reasons.push(work.signal.reason);
        return { end: 'later' };
      },
    });
    await queue.send({ id: 'a' });
    await queue.clock.until(() => begun.length === 1);
    await queue.dispatcher.stop({ abort: true });
    expect(reasons).toMatchObject([{ code: 'BOT_STOPPING' }]);
    expect((await queue.states()).a).toMatch(/^running /);
    await queue.dispatcher.idle();
  });

  test('abort ends the run of one session', async () => {
    const queue = makeQueue();
    await queue.send({ id: 'a' });
    const turn = await queue.turn(1);
    expect(queue.dispatcher.abort('agent:main:none')).toBe(false);
    expect(queue.dispatcher.abort('agent:main:main')).toBe(true);
    await queue.dispatcher.idle();
    expect(turn.work.signal.reason).toMatchObject({ code: 'RUN_STOPPED' });
  });
});
