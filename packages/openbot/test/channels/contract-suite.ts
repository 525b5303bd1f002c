import { describe, expect, test } from 'vitest';
import type { Channel, ChannelHost, SendFailure, SendRequest } from '../../src/channels/contract.ts';
import { MemoryInboxHost } from './memory-inbox-host.ts';

/** What the network behind a channel does with the next send. */
export type NetworkFault =
  /** It says no, for good. */
  | 'refuse for good'
  /** It says no, and another try may succeed. */
  | 'refuse for now'
  /** It says that there are too many, and when to come again: after 7 seconds. */
  | 'too many'
  /** It shows the message, and its answer is lost. */
  | 'lose answer'
  /** It never answers. */
  | 'stall';

/** A channel and the far end that a test can reach: an imitation of its network on loopback, or in memory. */
export interface ChannelSetup {
  /** A new one on the same network, as after a restart. */
  makeChannel(): Channel;
  /** A chat with a person. Sends go `to` it; what the person writes has `conversationId`. */
  readonly chat: { readonly to: string; readonly conversationId: string };
  /** The person writes. Resolves when the network has tried to deliver it, whether it was taken or not. */
  write(message: { readonly messageId: string; readonly text: string }): Promise<void>;
  /** The network delivers again what was not confirmed. */
  redeliver(): Promise<void>;
  /** The network delivers this message again, although it was confirmed. */
  repeat(messageId: string): Promise<void>;
  addFault(fault: NetworkFault): void;
  /** Texts in the chat that came from us. */
  shown(): readonly string[];
  close?(): Promise<void>;
}

/** What every channel promises. `without`: faults that its network cannot have, each with the reason. */
export function describeChannel(
  name: string,
  setUp: () => Promise<ChannelSetup>,
  { without = {} }: { readonly without?: Partial<Record<NetworkFault, string>> } = {},
): void {
  const withSetup = (work: (setup: ChannelSetup) => Promise<void>) => async () => {
    const setup = await setUp();
    try {
      await work(setup);
    } finally {
      await setup.close?.();
    }
  };
  const faultTest = (fault: NetworkFault, title: string, work: (setup: ChannelSetup) => Promise<void>) => {
    const reason = without[fault];
    if (reason !== undefined) return test.skip(`${title} (${reason})`, () => {});
    test(title, withSetup(work));
  };

  const request = (setup: ChannelSetup, channel: Channel, rest: Partial<SendRequest> = {}): SendRequest => ({
    key: 'turn-1:0',
    target: { channel: channel.name, accountId: channel.accountId, to: setup.chat.to },
    payload: { text: 'Hello' },
    mayBeRepeat: false,
    signal: new AbortController().signal,
    ...rest,
  });
  const start = async (setup: ChannelSetup, host: ChannelHost = new MemoryInboxHost()) => {
    const channel = setup.makeChannel();
    await channel.start(host);
    return channel;
  };
  const failureOf = async (sending: Promise<unknown>) =>
    sending.then(
      () => expect.fail('It was sent.'),
      (error) => error as SendFailure,
    );

  describe(`channel ${name}`, () => {
    test(
      'passes on what a person writes, once it is kept',
      withSetup(async (setup) => {
        const host = new MemoryInboxHost();
        const channel = await start(setup, host);
        await setup.write({ messageId: '1', text: 'first' });
        await setup.write({ messageId: '2', text: 'second' });
        expect(host.taken).toEqual([
          [setup.chat.conversationId, '1', 'first'],
          [setup.chat.conversationId, '2', 'second'],
        ]);
        await setup.redeliver();
        expect(host.calls).toBe(2);
        await channel.stop();
      }),
    );

    test(
      'does not confirm what could not be kept: the network delivers it again',
      withSetup(async (setup) => {
        const host = new MemoryInboxHost();
        const channel = await start(setup, host);
        host.failures = 1;
        await setup.write({ messageId: '1', text: 'first' });
        expect(host.taken).toEqual([]);
        await setup.redeliver();
        expect(host.taken).toEqual([[setup.chat.conversationId, '1', 'first']]);
        await channel.stop();
      }),
    );

    test(
      'gives a repeat the same identity',
      withSetup(async (setup) => {
        const host = new MemoryInboxHost();
        const channel = await start(setup, host);
        await setup.write({ messageId: '1', text: 'first' });
        await setup.repeat('1');
        expect(host.taken).toHaveLength(1);
        expect(host.calls).toBe(2);
        await channel.stop();
      }),
    );

    test(
      'accepts nothing after its stop, and what was written meanwhile after a restart',
      withSetup(async (setup) => {
        const host = new MemoryInboxHost();
        const first = await start(setup, host);
        await first.stop();
        await setup.write({ messageId: '1', text: 'meanwhile' });
        expect(host.calls).toBe(0);
        const second = await start(setup, host);
        await setup.redeliver();
        expect(host.taken).toEqual([[setup.chat.conversationId, '1', 'meanwhile']]);
        await second.stop();
      }),
    );

    test(
      'sends a text and tells the ids of the network',
      withSetup(async (setup) => {
        const channel = await start(setup);
        const { ids } = await channel.send(request(setup, channel));
        expect(ids.length).toBeGreaterThan(0);
        expect(setup.shown()).toEqual(['Hello']);
        await channel.stop();
      }),
    );

    faultTest('refuse for good', 'says that a refusal is for good', async (setup) => {
      const channel = await start(setup);
      setup.addFault('refuse for good');
      const failure = await failureOf(channel.send(request(setup, channel)));
      expect(failure).toMatchObject({ isPermanent: true, mayHaveArrived: false });
      expect(failure.message).not.toBe('');
      expect(setup.shown()).toEqual([]);
      await channel.stop();
    });

    faultTest('refuse for now', 'says that another try may succeed', async (setup) => {
      const channel = await start(setup);
      setup.addFault('refuse for now');
      const failure = await failureOf(channel.send(request(setup, channel)));
      expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: false });
      await channel.send(request(setup, channel));
      expect(setup.shown()).toEqual(['Hello']);
      await channel.stop();
    });

    faultTest('too many', 'says when to come again', async (setup) => {
      const channel = await start(setup);
      setup.addFault('too many');
      const failure = await failureOf(channel.send(request(setup, channel)));
      expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: false, retryAfterMs: 7000 });
      await channel.stop();
    });

    faultTest('lose answer', 'does not say that nothing arrived when it does not know', async (setup) => {
      const channel = await start(setup);
      setup.addFault('lose answer');
      const failure = await failureOf(channel.send(request(setup, channel)));
      expect(failure.isPermanent).not.toBe(true);
      expect(failure.mayHaveArrived).not.toBe(false);
      // Another process tries again.
      await channel.stop();
      const next = await start(setup);
      await next.send(request(setup, next, { mayBeRepeat: true }));
      expect(setup.shown()).toEqual(next.recognisesRepeats ? ['Hello'] : ['Hello', 'Hello']);
      await next.stop();
    });

    faultTest('stall', 'ends a send when it is aborted', async (setup) => {
      const channel = await start(setup);
      setup.addFault('stall');
      const controller = new AbortController();
      const sending = failureOf(channel.send(request(setup, channel, { signal: controller.signal })));
      controller.abort(new Error('Enough.'));
      const failure = await sending;
      expect(failure.isPermanent).not.toBe(true);
      expect(failure.mayHaveArrived).not.toBe(false);
      await channel.stop();
    });

    test(
      'describes itself in one line, without secrets',
      withSetup(async (setup) => {
        const channel = await start(setup);
        expect(channel.summary?.() ?? channel.name).toMatch(/^[^\n]{1,200}$/);
        await channel.stop();
        await channel.stop();
      }),
    );
  });
}
