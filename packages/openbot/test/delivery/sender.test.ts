import { describe, expect, test } from 'vitest';
import { type Channel, type Outlet, PLAIN_CHANNEL, type SendRequest } from '../../src/channels/contract.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { MemoryNetwork } from '../../src/channels/memory/memory-network.ts';
import { sendFailure } from '../../src/channels/send-failure.ts';
import { Sender, type SenderOptions } from '../../src/delivery/sender.ts';
import type { Outbox, OutboxMessage } from '../../src/outbox/contract.ts';
import { openMemoryOutbox } from '../../src/outbox/memory/memory-outbox.ts';
import { ManualClock } from '../setup/manual-clock.ts';

interface Options extends Partial<SenderOptions> {
  readonly recognisesRepeats?: boolean;
  /** The same outbox and network, as another process sees them. */
  readonly shared?: { readonly outbox: Outbox; readonly clock: ManualClock; readonly network: MemoryNetwork };
}

function makeDelivery({ recognisesRepeats = false, shared, ...options }: Options = {}) {
  const outbox: Outbox = options.outbox ?? shared?.outbox ?? openMemoryOutbox();
  const clock = shared?.clock ?? new ManualClock();
  const network = shared?.network ?? new MemoryNetwork({ recognisesRepeats });
  const dead: OutboxMessage[] = [];
  const troubles: unknown[] = [];
  const sender = new Sender({
    random: () => 0.5,
    lookPauseMs: 0,
    onDead: (message) => dead.push(message),
    onTrouble: (error) => troubles.push(error),
    channels: [new MemoryChannel({ network })],
    ...options,
    outbox,
    clock,
  });
  const put = async (
    key: string,
    { to = 'ada', channel = 'memory', accountId = 'default', text = `text ${key}` } = {},
  ) => {
    const target = { channel, accountId, to };
    const names = { key, agentId: 'main', sessionKey: 'agent:main:main' };
    await outbox.put([{ ...names, target, payload: { text }, createdAt: clock.now() }]);
    sender.wake();
  };
  const shown = () => network.shown.map(({ payload }) => payload.text);
  return { outbox, clock, network, sender, put, shown, dead, troubles };
}

test('a reply is sent, with its id', async () => {
  const { put, clock, shown, outbox } = makeDelivery();
  await put('k1');
  await clock.advance(1);
  expect(shown()).toEqual(['text k1']);
  expect(await outbox.get('k1')).toMatchObject({ state: 'sent', ids: ['sent-1'], tries: 1 });
});

test('why files of a reply were not sent is kept with it, also of parts that an earlier try sent', async () => {
  const tries = [
    { '/w/a.png': 'it is too large', '/w/b.png': 'no answer' },
    { '/w/b.png': undefined, '/w/c.png': 'it is too large' },
  ];
  class Refusing extends MemoryChannel {
    override send(request: SendRequest) {
      const files = tries.shift();
      for (const [url, fault] of Object.entries(files ?? {})) request.onFile?.(url, fault);
      if (tries.length > 0) throw sendFailure('busy', { isPermanent: false, mayHaveArrived: false });
      return super.send(request);
    }
  }
  const faults: (string | undefined)[] = [];
  const onSent = (_message: OutboxMessage, fault: string | undefined) => void faults.push(fault);
  const { put, clock, outbox } = makeDelivery({ channels: [new Refusing()], onSent });
  await put('k1');
  await clock.advance(60_000);
  expect(await outbox.get('k1')).toMatchObject({ state: 'sent', error: 'it is too large', tries: 2 });
  await put('k2');
  await clock.advance(60_000);
  expect(await outbox.get('k2')).not.toHaveProperty('error');
  expect(faults).toEqual(['it is too large', undefined]);
});

test('replies that another process put are found', async () => {
  const one = makeDelivery();
  const two = makeDelivery({ shared: one, channels: [] });
  one.sender.wake();
  await one.clock.advance(1);
  await two.put('k1');
  await one.clock.advance(1);
  expect(one.shown()).toEqual(['text k1']);
});

test('two processes with the same account send each reply once', async () => {
  const one = makeDelivery();
  const two = makeDelivery({ shared: one });
  for (let n = 1; n <= 20; n++) await (n % 2 ? one : two).put(`k${n}`, { to: `person ${n % 3}` });
  await one.clock.advance(2000);
  expect(one.shown().toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `text k${n + 1}`).toSorted());
});

describe('a reply of several messages', () => {
  const setUp = (recognisesRepeats = false, textLimit = 4) => {
    const network = new MemoryNetwork({ recognisesRepeats });
    const channels = [new MemoryChannel({ network, capabilities: { textLimit } })];
    return { ...makeDelivery({ channels, recognisesRepeats }), network };
  };
  const shownOn = ({ shown }: MemoryNetwork) => shown.map(({ payload }) => payload.text);

  test('goes on behind the parts that got through', async () => {
    const { put, clock, network, outbox, sender } = setUp();
    await put('k1');
    await clock.advance(1);
    expect(shownOn(network)).toEqual(['text', 'k1']);
    expect(await outbox.get('k1')).toMatchObject({ state: 'sent', ids: ['sent-1', 'sent-2'] });

    // The second part is refused for now: the first is not sent again.
    const refuseSecond = sendsUntil(network, 4, { fault: 'refuse' });
    await put('k2');
    await clock.advance(1);
    expect(await outbox.get('k2')).toMatchObject({ state: 'waiting', parts: { ids: ['sent-3'] } });
    refuseSecond();
    await clock.advance(1000);
    expect(shownOn(network).slice(2)).toEqual(['text', 'k2']);
    expect(await outbox.get('k2')).toMatchObject({ state: 'sent', ids: ['sent-3', 'sent-4'] });
    await sender.stop();
  });

  test('marks the part that may be a repeat, and keeps the parts before it', async () => {
    const { put, clock, network } = setUp(false, 100);
    const words = Array.from({ length: 15 }, (_, n) => `word-${n + 10}`);
    const restore = sendsUntil(network, 2, { fault: 'lose answer' });
    await put('k1', { text: words.join(' ') });
    await clock.advance(1);
    restore();
    await clock.advance(1000);
    const [first, second, again] = shownOn(network);
    expect(again).toBe(`(This may be a repeat.)\n${second}`);
    expect(again!.length).toBeLessThanOrEqual(100);
    expect(`${first} ${second}`).toBe(words.join(' '));
    expect(shownOn(network)).toHaveLength(3);
  });
});

/** The send of this number, from 1, meets a fault. Returns the function that ends it. */
function sendsUntil(network: MemoryNetwork, at: number, fault: Parameters<MemoryNetwork['addFault']>[0]) {
  const take = network.take.bind(network);
  network.take = (request) => {
    if (network.sends === at - 1) network.addFault(fault);
    return take(request);
  };
  return () => {
    network.take = take;
  };
}

describe('a send that fails', () => {
  test('is tried again with growing waits, and the next to the same target waits for it', async () => {
    const { put, clock, network, shown, outbox } = makeDelivery();
    network.addFault({ fault: 'refuse' }, { to: 'ada', times: 2 });
    await put('k1');
    await put('k2');
    await put('k3', { to: 'bob' });
    await clock.advance(999);
    expect(shown()).toEqual(['text k3']);
    expect(await outbox.get('k1')).toMatchObject({ state: 'waiting', tries: 1, mayBeRepeat: false });
    await clock.advance(1);
    expect(await outbox.get('k1')).toMatchObject({ state: 'waiting', tries: 2 });
    await clock.advance(2000);
    expect(shown()).toEqual(['text k3', 'text k1', 'text k2']);
  });

  test('waits as long as the network asks for', async () => {
    const { put, clock, network, shown } = makeDelivery();
    network.addFault({ fault: 'refuse', retryAfterMs: 30_000 });
    await put('k1');
    await clock.advance(29_999);
    expect(shown()).toEqual([]);
    await clock.advance(1);
    expect(shown()).toEqual(['text k1']);
  });

  test('for good is a dead letter at once, and the next one is sent', async () => {
    const { put, clock, network, shown, dead, outbox } = makeDelivery();
    network.addFault({ fault: 'refuse', isPermanent: true });
    await put('k1');
    await put('k2');
    await clock.advance(1);
    expect(shown()).toEqual(['text k2']);
    expect(dead.map(({ key }) => key)).toEqual(['k1']);
    expect(await outbox.listDead(10)).toMatchObject([
      { key: 'k1', error: 'The network refused the message.' },
    ]);
  });

  test('again and again is a dead letter in the end', async () => {
    const { put, clock, network, dead } = makeDelivery({ limits: { maxTries: 4 } });
    network.addFault({ fault: 'refuse' }, { times: 100 });
    await put('k1');
    await clock.until(() => dead.length > 0);
    expect(network.sends).toBe(4);
  });

  test('and may have arrived is marked for people, where the network cannot tell', async () => {
    const { put, clock, network, shown } = makeDelivery();
    network.addFault({ fault: 'lose answer' });
    await put('k1');
    await clock.advance(2000);
    expect(shown()).toEqual(['text k1', '(This may be a repeat.)\ntext k1']);
  });

  test('and may have arrived is shown once, where the network can tell', async () => {
    const { put, clock, network, shown, outbox } = makeDelivery({ recognisesRepeats: true });
    network.addFault({ fault: 'lose answer' });
    await put('k1');
    await clock.advance(2000);
    expect(shown()).toEqual(['text k1']);
    expect(network.sends).toBe(2);
    expect(await outbox.get('k1')).toMatchObject({ state: 'sent', ids: ['sent-1'] });
  });
});

describe('one that is stuck', () => {
  test('does not hold up other targets, and is given up after its time', async () => {
    const { put, clock, network, shown, outbox } = makeDelivery({ sendTimeoutMs: 5000 });
    network.addFault({ fault: 'stall' }, { to: 'ada' });
    network.addFault({ fault: 'hang' }, { to: 'eve' });
    await put('k1');
    await put('k2', { to: 'eve' });
    await put('k3', { to: 'bob' });
    await clock.advance(1);
    expect(shown()).toEqual(['text k3']);
    await clock.advance(5000);
    expect(await outbox.get('k1')).toMatchObject({ state: 'waiting', mayBeRepeat: true });
    expect(await outbox.get('k2')).toMatchObject({
      state: 'waiting',
      error: 'The channel took longer than 5000 ms.',
    });
    await clock.advance(1000);
    expect(shown()).toHaveLength(3);
  });

  test('account does not hold up another, with as many stuck as there may be', async () => {
    const stuck = new MemoryNetwork();
    stuck.addFault({ fault: 'hang' }, { times: 100 });
    const free = new MemoryNetwork();
    const { put, clock, outbox } = makeDelivery({
      channels: [new MemoryChannel({ name: 'stuck', network: stuck }), new MemoryChannel({ network: free })],
      concurrency: 2,
    });
    for (let n = 0; n < 5; n++) await put(`s${n}`, { channel: 'stuck', to: `person ${n}` });
    await put('k1');
    await clock.advance(1);
    expect(free.shown).toHaveLength(1);
    expect(stuck.sends).toBe(2);
    expect(await outbox.counts()).toMatchObject({ sending: 2, waiting: 3, sent: 1 });
  });

  test('is sent by another process when this one died', async () => {
    const one = makeDelivery({ channels: [] });
    await one.put('k1');
    await one.outbox.claim({
      channel: 'memory',
      accountId: 'default',
      owner: 'dead',
      now: one.clock.now(),
      leaseMs: 90_000,
      limit: 1,
    });
    const two = makeDelivery({ shared: one });
    two.sender.wake();
    await two.clock.advance(89_000);
    expect(two.network.sends).toBe(0);
    await two.clock.advance(1000);
    expect(two.shown()).toEqual(['(This may be a repeat.)\ntext k1']);
  });
});

describe('a send that takes long', () => {
  /** A channel whose send is what the test says. */
  const setUp = (send: Outlet['send']) => {
    const channel = { name: 'memory', accountId: 'default', capabilities: PLAIN_CHANNEL, send };
    const made = makeDelivery({ channels: [channel] });
    const pass = (ms: number) => new Promise<void>((resolve) => void made.clock.after(ms, resolve));
    const putFile = async (key: string) => {
      const target = { channel: 'memory', accountId: 'default', to: 'ada' };
      const names = { key, agentId: 'main', sessionKey: 'agent:main:main' };
      const payload = { text: key, mediaUrl: '/w/film.mp4' };
      await made.outbox.put([{ ...names, target, payload, createdAt: made.clock.now() }]);
      made.sender.wake();
    };
    return { ...made, pass, putFile };
  };

  test('has its time anew for each part', async () => {
    const made = setUp(async ({ onPart }) => {
      for (const id of ['a', 'b', 'c']) {
        await made.pass(50_000);
        await onPart(id);
      }
      return { ids: ['a', 'b', 'c'] };
    });
    const other = makeDelivery({ shared: made });
    await made.put('k1');
    await made.clock.advance(1);
    other.sender.wake();
    await made.clock.advance(150_000);
    expect(await made.outbox.get('k1')).toMatchObject({ state: 'sent', ids: ['a', 'b', 'c'], tries: 1 });
    await other.sender.stop();
  });

  test('has the time that the channel asks for, and no other process takes it for lost', async () => {
    const made = setUp(async ({ allowTime }) => {
      await allowTime(600_000);
      await made.pass(590_000);
      return { ids: ['a'] };
    });
    const other = makeDelivery({ shared: made });
    await made.put('k1');
    await made.clock.advance(1);
    other.sender.wake();
    await made.clock.advance(590_000);
    expect(await made.outbox.get('k1')).toMatchObject({ state: 'sent', ids: ['a'], tries: 1 });
    expect(other.network.sends).toBe(0);
    await other.sender.stop();
  });

  test('is ended, and after three such sends the files are left out', async () => {
    const reasons: (string | undefined)[] = [];
    const made = setUp(async ({ payload, allowTime, skipFiles, signal }) => {
      reasons.push(skipFiles);
      if (skipFiles !== undefined || payload.mediaUrl === undefined) return { ids: ['a'] };
      await allowTime(100_000);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await made.putFile('k1');
    await made.put('k2');
    await made.clock.advance(400_000);
    expect(reasons).toEqual([undefined, undefined, undefined, 'it took too long', undefined]);
    expect(await made.outbox.get('k1')).toMatchObject({ state: 'sent', tries: 4 });
    expect(await made.outbox.get('k2')).toMatchObject({ state: 'sent' });
  });
});

test('what the network has taken is not forgotten because the outbox failed for a while', async () => {
  const outbox = openMemoryOutbox();
  let failures = 4;
  const failing: Outbox = {
    ...outbox,
    sent: async (...args) => {
      if (failures-- > 0) throw new Error('disk full');
      return outbox.sent(...args);
    },
  };
  const worked: string[] = [];
  const { put, clock, shown, troubles } = makeDelivery({
    outbox: failing,
    onWorked: (_, step) => step === 'record' && worked.push(step),
  });
  await put('k1');
  await clock.until(async () => (await outbox.get('k1'))?.state === 'sent');
  expect(shown()).toEqual(['text k1']);
  expect(troubles).toHaveLength(4);
  expect(worked).toEqual(['record']);
});

test('a draft that cannot be looked for is no send that may have arrived', async () => {
  const outbox = openMemoryOutbox();
  let failures = 1;
  const failing: Outbox = {
    ...outbox,
    get: async (key) => {
      if (failures-- > 0) throw new Error('database is locked');
      return outbox.get(key);
    },
  };
  const { clock, shown, sender } = makeDelivery({ outbox: failing });
  const target = { channel: 'memory', accountId: 'default', to: 'ada' };
  const names = { key: 't:0', turnId: 't', agentId: 'main', sessionKey: 'agent:main:main' };
  await outbox.put([{ ...names, target, payload: { text: 'Hello' }, createdAt: clock.now() }]);
  sender.wake();
  await clock.until(async () => (await outbox.get('t:0'))?.state === 'sent');
  expect(failures).toBeLessThan(1);
  expect(shown()).toEqual(['Hello']);
});

describe('a draft whose process was killed while it was sent', () => {
  const target = { channel: 'memory', accountId: 'default', to: 'ada' };
  const names = { turnId: 't', agentId: 'main', sessionKey: 'agent:main:main', target };

  async function killWhileSending(recognisesRepeats: boolean) {
    const network = new MemoryNetwork({ recognisesRepeats });
    const channels = [new MemoryChannel({ network, capabilities: { canEdit: true } })];
    const killed = makeDelivery({ recognisesRepeats, channels });
    const { outbox, clock } = killed;
    network.addFault({ fault: 'stall', isShown: true });
    const payload = { text: 'Half …', draft: true as const };
    await outbox.put([{ ...names, key: 't:draft', payload, createdAt: clock.now() }]);
    killed.sender.wake();
    await clock.until(() => network.sends === 1);
    expect(await outbox.release(() => true)).toBe(1);
    const { sender } = makeDelivery({ channels, shared: { outbox, clock, network } });
    sender.wake();
    await clock.until(async () => (await outbox.get('t:draft'))?.state === 'sent');
    const draft = await outbox.get('t:draft');
    await outbox.put([{ ...names, key: 't:0', payload: { text: 'All.' }, createdAt: clock.now() }]);
    sender.wake();
    await clock.until(async () => (await outbox.get('t:0'))?.state === 'sent');
    return { draft, shown: network.shown.map(({ payload: { text } }) => text), sends: network.sends };
  }

  test('is not sent a second time, and the reply comes by itself', async () => {
    expect(await killWhileSending(false)).toMatchObject({
      draft: { ids: [] },
      shown: ['Half …', 'All.'],
      sends: 2,
    });
  });

  test('is found again by a network that recognises it, and the reply takes its place', async () => {
    expect(await killWhileSending(true)).toMatchObject({ draft: { ids: ['sent-1'] }, shown: ['All.'] });
  });
});

test('an outbox that cannot be read is tried again', async () => {
  const outbox = openMemoryOutbox();
  let failures = 5;
  const failing: Outbox = {
    ...outbox,
    claim: async (request) => {
      if (failures-- > 0) throw new Error('database is locked');
      return outbox.claim(request);
    },
  };
  const { put, clock, shown } = makeDelivery({ outbox: failing });
  await put('k1');
  await clock.until(() => shown().length === 1);
});

describe('a command that ends', () => {
  const soon = (clock: ManualClock) => clock.now() + 10_000;

  test('drains what is due, and what becomes due in time', async () => {
    const { put, clock, network, sender, shown } = makeDelivery();
    network.addFault({ fault: 'refuse' });
    await put('k1');
    await put('k2');
    const drained = track(sender.drain(soon(clock)));
    await clock.until(() => drained.value !== undefined);
    expect(drained.value).toBe(true);
    expect(shown()).toEqual(['text k1', 'text k2']);
  });

  test('does not wait for what comes later than it waits', async () => {
    const { put, clock, network, sender } = makeDelivery();
    network.addFault({ fault: 'refuse', retryAfterMs: 60_000 });
    await put('k1');
    const start = clock.now();
    const drained = track(sender.drain(soon(clock)));
    await clock.until(() => drained.value !== undefined);
    expect(drained.value).toBe(false);
    expect(clock.now() - start).toBeLessThan(10_000);
  });

  test('gives up at its deadline', async () => {
    const { put, clock, network, sender } = makeDelivery();
    network.addFault({ fault: 'hang' });
    await put('k1');
    const drained = track(sender.drain(soon(clock)));
    await clock.advance(10_000);
    expect(drained.value).toBe(false);
  });

  test('stop waits for a send, or aborts it as perhaps arrived', async () => {
    const { put, clock, network, sender, outbox } = makeDelivery();
    network.addFault({ fault: 'stall' });
    await put('k1');
    await clock.advance(1);
    const stopped = track(sender.stop({ withinMs: 5000 }).then(() => true));
    await clock.advance(4999);
    expect(stopped.value).toBeUndefined();
    await clock.advance(1);
    await clock.until(() => stopped.value === true);
    expect(await outbox.get('k1')).toMatchObject({ state: 'waiting', mayBeRepeat: true });
    await put('k2', { to: 'bob' });
    await clock.advance(5000);
    expect(network.sends).toBe(1);
  });
});

test('a channel that throws without a promise is a failure like any other', async () => {
  const broken: Channel = Object.assign(new MemoryChannel(), {
    send: () => {
      throw new TypeError('no such method');
    },
  });
  const { put, clock, outbox } = makeDelivery({ channels: [broken] });
  await put('k1');
  await clock.advance(1);
  expect(await outbox.get('k1')).toMatchObject({
    state: 'waiting',
    error: 'no such method',
    mayBeRepeat: true,
  });
});

function track<T>(promise: Promise<T>): { value?: T } {
  const tracked: { value?: T } = {};
  void promise.then((value) => {
    tracked.value = value;
  });
  return tracked;
}
