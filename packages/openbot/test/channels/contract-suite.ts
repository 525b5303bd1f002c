import { describe, expect, test } from 'vitest';
import type {
  Channel,
  ChannelHealth,
  ChannelHost,
  SendFailure,
  SendRequest,
} from '../../src/channels/contract.ts';
import { REPEAT_MARK } from '../../src/channels/text/mark-repeat.ts';
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

/** Why a network refuses a message for good. */
export type NetworkRefusal = 'gone' | 'forbidden' | 'too long';

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
  /**
   * From here on: what not every network, or not every imitation, has. A test of the suite that needs a missing member is
   * skipped, and says so. Tests of `edit` and `react` are run where the capabilities of the channel have them.
   */
  /** What makes the network refuse the next send for this reason, as far as it tells reasons apart. */
  readonly refusals?: Readonly<Partial<Record<NetworkRefusal, () => void>>>;
  /** The network answers nothing, or refuses connections, until `comeBack`. Channels that are made meanwhile start. */
  goDown?(): Promise<void>;
  comeBack?(): Promise<void>;
  /** A channel with a token that the network does not know. */
  makeForbiddenChannel?(token: string): Channel;
  /** The fault is met by the send of a part after this many others got through. Default for `addFault`: the first one. */
  addFaultBehind?(fault: NetworkFault, parts: number): void;
  /** Files that are two messages of the network, and for each message in the chat its files and text. */
  readonly files?: {
    readonly urls: readonly string[];
    shown(): readonly { readonly files: readonly string[]; readonly text: string }[];
  };
  /** Resolves when the network holds a request of the channel open, such as a long poll. */
  untilPolled?(): Promise<void>;
  /** The reaction of the bot under a message of the person. */
  reactionOn?(messageId: string): string | undefined;
  /** Lets the time pass that the channel waits before it connects again, where it waits by a clock of the test. */
  passTime?(ms: number): Promise<void>;
  close?(): Promise<void>;
}

/** What `withSetup` and `optionalTest` pass on where all these members are there. */
type With<Name extends keyof ChannelSetup> = ChannelSetup & Required<Pick<ChannelSetup, Name>>;

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
  const skip = (title: string, reason: string) => test.skip(`${title} (${reason})`, () => {});
  const faultTest = (fault: NetworkFault, title: string, work: (setup: ChannelSetup) => Promise<void>) => {
    const reason = without[fault];
    if (reason !== undefined) return skip(title, reason);
    test(title, withSetup(work));
  };

  /** Needs these members of the setup; they are looked for in the setup itself, as each test has its own. */
  const optionalTest = <Name extends keyof ChannelSetup>(
    needs: readonly Name[],
    title: string,
    work: (setup: With<Name>) => Promise<void>,
  ) => {
    test(title, async (context) => {
      const setup = await setUp();
      try {
        const missing = needs.filter((name) => setup[name] === undefined);
        if (missing.length > 0) context.skip(`the imitation has no ${missing.join(', ')}`);
        await work(setup as With<Name>);
      } finally {
        await setup.close?.();
      }
    });
  };
  /** Waits for a state, however long it takes; `passTime` lets a clock of the test go on meanwhile. */
  const untilState = async (setup: ChannelSetup, channel: Channel, ...states: ChannelHealth['state'][]) => {
    while (!states.includes(channel.health().state)) {
      await setup.passTime?.(1000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return channel.health();
  };

  const request = (setup: ChannelSetup, channel: Channel, rest: Partial<SendRequest> = {}): SendRequest => ({
    key: 'turn-1:0',
    target: { channel: channel.name, accountId: channel.accountId, to: setup.chat.to },
    payload: { text: 'Hello' },
    mayBeRepeat: false,
    sentIds: [],
    onPart: async () => {},
    allowTime: async () => {},
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

    for (const reason of ['gone', 'forbidden', 'too long'] as const) {
      test(`says that it was refused for good as ${reason}`, async (context) => {
        const setup = await setUp();
        try {
          const refuse = setup.refusals?.[reason];
          if (refuse === undefined) return context.skip('the network does not tell it');
          const channel = await start(setup);
          refuse();
          const failure = await failureOf(channel.send(request(setup, channel)));
          expect(failure).toMatchObject({ isPermanent: true, mayHaveArrived: false, reason });
          expect(setup.shown()).toEqual([]);
          await channel.stop();
        } finally {
          await setup.close?.();
        }
      });
    }

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
      expect(failure.reason).toBe('busy');
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
      const mark = next.capabilities.recognisesRepeats ? undefined : REPEAT_MARK;
      await next.send(request(setup, next, { mayBeRepeat: true, mark }));
      const isMarked = (next.capabilities.textLimit ?? 0) > REPEAT_MARK.length + 'Hello'.length;
      const again = isMarked ? `${REPEAT_MARK}\nHello` : 'Hello';
      expect(setup.shown()).toEqual(next.capabilities.recognisesRepeats ? ['Hello'] : ['Hello', again]);
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

    optionalTest(
      ['addFaultBehind'],
      'goes on behind the parts of a long text that got through, and tells of each before the next',
      async (setup) => {
        const channel = await start(setup);
        const { textLimit } = channel.capabilities;
        if (!Number.isFinite(textLimit)) return await channel.stop();
        const text = paragraphs(3 * textLimit);
        const recorded: string[] = [];
        const whole = (rest: Partial<SendRequest> = {}) =>
          request(setup, channel, {
            payload: { text },
            onPart: async (id) => {
              // A disk takes its time: a channel that does not wait sends the next part too early.
              const before = setup.shown().length;
              await new Promise((resolve) => setTimeout(resolve, 20));
              expect(setup.shown()).toHaveLength(before);
              recorded.push(id);
            },
            ...rest,
          });
        setup.addFaultBehind('refuse for now', 2);
        const failure = await failureOf(channel.send(whole()));
        expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: false });
        expect(recorded).toHaveLength(2);
        expect(setup.shown()).toHaveLength(2);
        // Another process goes on.
        await channel.stop();
        const next = await start(setup);
        const { ids } = await next.send(whole({ sentIds: [...recorded] }));
        expect(ids.slice(0, 2)).toEqual(recorded.slice(0, 2));
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(setup.shown().length);
        const words = setup.shown().join(' ').split(/\s+/);
        expect(words.filter((word) => /^w\d+$/.test(word))).toEqual(text.split(/\s+/));
        await next.stop();
      },
    );

    optionalTest(
      ['files', 'addFaultBehind'],
      'repeats of files and text only what may be lost, with a mark where the network would show it twice',
      async (setup) => {
        const names = setup.files.urls.map((url) => url.split('/').at(-1));
        // Alone, and with a text that has just no room for a mark below a file.
        for (const text of [undefined, paragraphs(1000).slice(0, 1015).trim()]) {
          const channel = await start(setup);
          const already = setup.files.shown().length;
          const payload = { text, mediaUrls: [...setup.files.urls] };
          const key = `turn-${already}:0`;
          const sentIds: string[] = [];
          setup.addFaultBehind('lose answer', 1);
          const onPart = async (id: string) => void sentIds.push(id);
          await failureOf(channel.send(request(setup, channel, { key, payload, onPart })));
          const before = setup.files.shown().slice(already);
          expect([before.length, sentIds.length]).toEqual([2, 1]);
          await channel.stop();
          const next = await start(setup);
          const mark = next.capabilities.recognisesRepeats ? undefined : REPEAT_MARK;
          await next.send(request(setup, next, { key, payload, sentIds, mayBeRepeat: true, mark }));
          const after = setup.files.shown().slice(already + 2);
          expect(after[0]?.text.startsWith(REPEAT_MARK) ?? false).toBe(!next.capabilities.recognisesRepeats);
          const whole = next.capabilities.recognisesRepeats ? [...before, ...after] : [before[0]!, ...after];
          const said = whole.map((one) => one.text).join('\n');
          expect(said.split(REPEAT_MARK)).toHaveLength(next.capabilities.recognisesRepeats ? 1 : 2);
          const words = said.replace(REPEAT_MARK, '').split(/\s+/).filter(Boolean);
          expect(words).toEqual(text?.split(/\s+/) ?? []);
          expect(whole.flatMap(({ files }) => files)).toEqual(names);
          await next.stop();
        }
      },
    );

    optionalTest(
      ['goDown', 'comeBack'],
      'starts while its network is down, says so, and works when it is back',
      async (setup) => {
        await setup.goDown();
        const host = new MemoryInboxHost();
        const channel = setup.makeChannel();
        await channel.start(host);
        // A channel without a connection learns it from a send.
        const failure = await failureOf(channel.send(request(setup, channel)));
        expect(failure.isPermanent).not.toBe(true);
        const down = await untilState(setup, channel, 'reconnecting');
        expect(down).toMatchObject({ since: expect.any(Number), error: expect.stringMatching(/./) });
        await setup.comeBack();
        await channel.send(request(setup, channel));
        expect(setup.shown()).toEqual(['Hello']);
        await untilState(setup, channel, 'connected');
        await setup.write({ messageId: '1', text: 'first' });
        await setup.redeliver();
        expect(host.taken).toEqual([[setup.chat.conversationId, '1', 'first']]);
        await channel.stop();
        expect(channel.health()).toEqual({ state: 'stopped' });
      },
    );

    optionalTest(
      ['makeForbiddenChannel'],
      'says that only a person can mend a wrong token, and does not show it',
      async (setup) => {
        const token = '123456:AAF-wrong_token';
        const channel = setup.makeForbiddenChannel(token);
        await channel.start(new MemoryInboxHost());
        // A channel without a connection learns it from a send.
        const failure = await failureOf(channel.send(request(setup, channel)));
        const health = await untilState(setup, channel, 'failed');
        expect(health).toMatchObject({ state: 'failed', error: expect.stringMatching(/./) });
        expect(JSON.stringify([health, failure.message, channel.summary?.()])).not.toContain('wrong_token');
        expect(setup.shown()).toEqual([]);
        await channel.stop();
        expect(channel.health()).toEqual({ state: 'stopped' });
      },
    );

    optionalTest(['untilPolled'], 'stops at once while the network holds a request open', async (setup) => {
      const host = new MemoryInboxHost();
      const channel = await start(setup, host);
      await setup.untilPolled();
      await channel.stop();
      await channel.stop();
      await setup.write({ messageId: '1', text: 'too late' });
      expect(host.calls).toBe(0);
    });

    test(
      'says whether it is connected',
      withSetup(async (setup) => {
        const channel = setup.makeChannel();
        expect(channel.health().state).not.toBe('connected');
        await channel.start(new MemoryInboxHost());
        expect(await untilState(setup, channel, 'connected')).toMatchObject({ since: expect.any(Number) });
        await channel.stop();
        expect(channel.health()).toEqual({ state: 'stopped' });
      }),
    );

    test('edits what it sent, where it says that it can', async (context) => {
      const setup = await setUp();
      try {
        const channel = await start(setup);
        if (!channel.capabilities.canEdit) {
          await channel.stop();
          context.skip('the network cannot edit');
        }
        const { ids } = await channel.send(request(setup, channel));
        const { target } = request(setup, channel);
        const edit = { target, id: ids[0]!, signal: new AbortController().signal };
        await channel.edit!({ ...edit, text: 'Hello again' });
        // A repeat is harmless: networks refuse an edit that changes nothing.
        await channel.edit!({ ...edit, text: 'Hello again' });
        expect(setup.shown()).toEqual(['Hello again']);
        await channel.stop();
      } finally {
        await setup.close?.();
      }
    });

    optionalTest(['reactionOn'], 'reacts to a message, and takes it back', async (setup) => {
      const channel = await start(setup);
      await setup.write({ messageId: '1', text: 'first' });
      const { target } = request(setup, channel);
      await channel.react!(target, '1', '👀');
      expect(setup.reactionOn('1')).toBe('👀');
      await channel.react!(target, '1', undefined);
      expect(setup.reactionOn('1')).toBeUndefined();
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

/** Numbered words in paragraphs, at least so many characters: what is lost or doubled is found. */
function paragraphs(length: number): string {
  const lines: string[] = [];
  for (let n = 0, size = 0; size < length; ) {
    const line = Array.from({ length: 12 }, () => `w${n++}`).join(' ');
    lines.push(line);
    size += line.length + 2;
  }
  return lines.join('\n\n');
}
