/** What the queue says of the steps of each lane: that they fail, and that they work again. */
import { expect, test } from 'vitest';
import { FailingSteps } from '../../src/bot/failing-steps.ts';
import { nameTurnStep } from '../../src/bot/step-names.ts';
import { openMemoryInbox } from '../../src/inbox/memory/memory-inbox.ts';
import { makeQueue } from './bench.ts';
import { kindOf } from './messages.ts';

const BROKEN = new Error('The transcript is a folder');

/** A queue whose failures are counted as a bot counts them. `/help` is an aside. */
function makeCounted(options: Parameters<typeof makeQueue>[0] = {}) {
  const steps = new FailingSteps(() => 1);
  const queue = makeQueue({
    kindOf: (message) => (message.ctx.RawBody === '/help' ? 'aside' : kindOf(message)),
    onTrouble: (error, lane) => steps.failed('turn', nameTurnStep(lane), error),
    onWorked: (lane) => steps.worked(nameTurnStep(lane)),
    maxTries: 100,
    ...options,
  });
  const failing = () => steps.list().map(({ step, failures }) => `${step}: ${failures}`);
  /** Lets the next turns fail, from the one of this number on. */
  const fail = async (from: number, times = 5) => {
    for (let number = from; number < from + times; number++) (await queue.turn(number)).fail(BROKEN);
    await queue.clock.advance(0);
  };
  return { ...queue, failing, fail };
}

test('a command beside a turn that fails does not say that the turn works', async () => {
  const { send, turn, clock, fail, failing, dispatcher } = makeCounted();
  await send({ id: 'a' });
  await fail(1);
  expect(failing()).toEqual(['A turn of agent:main:main: 5']);
  await send({ id: 'b', text: '/help' });
  dispatcher.wake('agent:main:main', 'main', 'asides');
  const help = await turn(6);
  expect(help.ids).toEqual(['b']);
  help.end();
  await clock.advance(0);
  expect(failing()).toEqual(['A turn of agent:main:main: 5']);
  (await turn(7)).end();
  await dispatcher.idle();
  expect(failing()).toEqual([]);
});

test('a command that fails is a step of its own', async () => {
  const { send, turn, clock, fail, failing, dispatcher } = makeCounted();
  await send({ id: 'a', text: '/help', isForeign: true });
  dispatcher.wake('agent:main:main', 'main', 'asides');
  await fail(1);
  expect(failing()).toEqual(['A chat command of agent:main:main: 5']);
  await send({ id: 'b' });
  const text = await turn(6);
  expect(text.ids).toEqual(['b']);
  text.end();
  await clock.advance(0);
  expect(failing()).toEqual(['A chat command of agent:main:main: 5']);
  (await turn(7)).end();
  await dispatcher.idle();
  expect(failing()).toEqual([]);
});

test('sessions of two agents that have the same key are two steps', async () => {
  const { send, turn, clock, fail, failing, dispatcher } = makeCounted();
  await send({ id: 'a', sessionKey: 'global' });
  await fail(1);
  await send({ id: 'b', sessionKey: 'global', agentId: 'work' });
  (await turn(6)).end();
  await clock.advance(0);
  expect(failing()).toEqual(['A turn of global (agent main): 5']);
  (await turn(7)).end();
  await dispatcher.idle();
  expect(failing()).toEqual([]);
});

test('a look that only waits for more messages does not say that the inbox works', async () => {
  const inbox = openMemoryInbox();
  let isBroken = false;
  const move: typeof inbox.move = async (...args) => {
    if (isBroken && args[1].state === 'running') throw BROKEN;
    return inbox.move(...args);
  };
  const { send, turn, clock, failing, dispatcher } = makeCounted({ inbox: { ...inbox, move } });
  await send({ id: 'a' });
  const first = await turn(1);
  await send({ id: 'b' });
  await clock.advance(100);
  isBroken = true;
  first.end();
  // A turn whose beginning cannot be written leaves its messages as they were: one more begins their debounce anew.
  for (const id of ['c', 'd', 'e', 'f', 'g', 'h']) {
    await clock.advance(1500);
    await send({ id });
  }
  await clock.advance(60_000);
  expect(failing()).toEqual([expect.stringMatching(/^A turn of agent:main:main: \d+$/)]);
  isBroken = false;
  (await turn(2)).end();
  await dispatcher.idle();
  expect(failing()).toEqual([]);
});

test('a turn that is left to the next process does not say that it works', async () => {
  const { send, turn, clock, fail, failing } = makeCounted();
  await send({ id: 'a' });
  await fail(1);
  (await turn(6)).end({ end: 'later' });
  await clock.advance(0);
  expect(failing()).toEqual(['A turn of agent:main:main: 5']);
});

test('a turn that comes to wait for a model works: the wait is told elsewhere', async () => {
  const { send, turn, clock, fail, failing } = makeCounted();
  await send({ id: 'a' });
  await fail(1);
  const outage = { models: ['far/m'], summary: 'far/m cannot be reached' };
  (await turn(6)).end({ end: 'held', outage });
  await clock.advance(0);
  expect(failing()).toEqual([]);
});

test('a turn that is given up is no step that fails', async () => {
  const { send, clock, fail, failing, dispatcher } = makeCounted({ maxTries: 5 });
  await send({ id: 'a' });
  await fail(1, 6);
  expect(failing()).toEqual(['A turn of agent:main:main: 6']);
  await clock.until(() => dispatcher.isIdle);
  expect(failing()).toEqual([]);
});

test('a turn that another process has finished is no step that fails', async () => {
  const { send, clock, fail, failing, inbox, runLock, dispatcher } = makeCounted();
  const seq = await send({ id: 'a' });
  await fail(1);
  expect(failing()).toEqual(['A turn of agent:main:main: 5']);
  const foreign = await runLock.acquire('agent:main:main', { waitMs: 0 });
  await clock.advance(60_000);
  expect(failing()).toEqual(['A turn of agent:main:main: 5']);
  const message = await inbox.get(seq);
  await inbox.move([seq], { state: 'answered', turnId: message?.state === 'running' ? message.turnId : '' });
  await clock.advance(60_000);
  expect(dispatcher.isIdle).toBe(true);
  expect(failing()).toEqual([]);
  await foreign?.release();
});
