import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import type { Arrival, Inbox, InboxState } from '../../src/inbox/contract.ts';
import { arrival } from './arrival.ts';
import { checkAgainstModel } from './inbox-model.ts';

/** What every inbox does, whatever it is kept in. `open` gives an empty one. */
export function describeInboxContract(name: string, open: () => Promise<Inbox>): void {
  const acceptAll = async (inbox: Inbox, ...arrivals: Arrival[]) => {
    const seqs: number[] = [];
    for (const one of arrivals) seqs.push((await inbox.accept(one)).message.seq);
    return seqs;
  };

  describe(`${name} inbox`, () => {
    describe('accept', () => {
      test('keeps a message as it came', async () => {
        const inbox = await open();
        const { message, isNew } = await inbox.accept(arrival('1'));
        expect(isNew).toBe(true);
        expect(message).toEqual({ ...arrival('1'), seq: message.seq, tries: 0, state: 'received' });
        expect(await inbox.get(message.seq)).toEqual(message);
        expect(await inbox.find(arrival('1').identity)).toEqual(message);
      });

      test('finds messages by their id alone, where two conversations have it', async () => {
        const inbox = await open();
        const { identity } = arrival('1');
        const other = { ...identity, conversationId: '43' };
        await acceptAll(inbox, arrival('1'), arrival('1', { identity: other }), arrival('2'));
        const { conversationId: _, ...inAccount } = identity;
        expect((await inbox.findInAccount(inAccount)).map(({ identity: own }) => own)).toEqual([
          identity,
          other,
        ]);
        expect(await inbox.findInAccount({ ...inAccount, accountId: 'work' })).toEqual([]);
      });

      test('replaces the text of a message that no turn has begun, and of no other', async () => {
        const inbox = await open();
        const [first, second] = (await acceptAll(inbox, arrival('1'), arrival('2', { kind: 'text' }))) as [
          number,
          number,
        ];
        const change = { ctx: { RawBody: 'other' }, kind: 'command' as const };
        expect(await inbox.amend(arrival('3').identity, change)).toBeUndefined();
        const amended = await inbox.amend(arrival('2').identity, change);
        expect(amended).toMatchObject({ ...change, seq: second, state: 'received' });
        expect(await inbox.get(second)).toEqual(amended);
        expect(await inbox.waiting(arrival(''))).toMatchObject([{ seq: first }, change]);
        await inbox.move([first], { state: 'running', turnId: 't' });
        expect(await inbox.amend(arrival('1').identity, change)).toBeUndefined();
        expect((await inbox.get(first))?.ctx).toEqual(arrival('1').ctx);
        await inbox.move([second], { state: 'dropped', reason: 'x' });
        expect(await inbox.amend(arrival('2').identity, { ctx: {} })).toBeUndefined();
      });

      test('keeps what the sender wants of the turn', async () => {
        const inbox = await open();
        const wish = { model: 'a/b', timeoutMs: 5, deliverTo: { channel: 'x', accountId: 'y', to: 'z' } };
        const { message } = await inbox.accept(arrival('1', { wish }));
        expect((await inbox.get(message.seq))?.wish).toEqual(wish);
      });

      test('keeps the kind of a message, and decides it once where it has none', async () => {
        const inbox = await open();
        const [given, open1, open2] = (await acceptAll(
          inbox,
          arrival('1', { kind: 'aside' }),
          arrival('2'),
          arrival('3'),
        )) as [number, number, number];
        const kindsOf = async () => (await inbox.waiting(arrival(''))).map(({ kind }) => kind);
        expect(await kindsOf()).toEqual(['aside', undefined, undefined]);
        await inbox.decideKinds(
          new Map([
            [given, 'text'],
            [open1, 'upkeep'],
            [999, 'text'],
          ]),
        );
        await inbox.move([open1], { state: 'running', turnId: 't' });
        await inbox.decideKinds(
          new Map([
            [open1, 'text'],
            [open2, 'text'],
          ]),
        );
        expect(await kindsOf()).toEqual(['aside', 'upkeep', 'text']);
        expect(await inbox.get(open1)).toMatchObject({ kind: 'upkeep', state: 'running' });
        expect((await inbox.accept(arrival('1', { kind: 'text' }))).message.kind).toBe('aside');
      });

      test('the same message a second time is the one that is kept', async () => {
        const inbox = await open();
        const first = await inbox.accept(arrival('1'));
        await inbox.move([first.message.seq], { state: 'running', turnId: 't' });
        const second = await inbox.accept(arrival('1', { ctx: { Body: 'other' }, receivedAt: 2 }));
        expect(second.isNew).toBe(false);
        expect(second.message).toMatchObject({ seq: first.message.seq, state: 'running', turnId: 't' });
        expect(second.message.ctx).toEqual(arrival('1').ctx);
        expect(await inbox.counts()).toMatchObject({ received: 0, running: 1 });
      });

      test('every part of the identity counts', async () => {
        const inbox = await open();
        const { identity } = arrival('1');
        const others = [
          identity,
          { ...identity, channel: 'discord' },
          { ...identity, accountId: 'second' },
          { ...identity, conversationId: '43' },
          { ...identity, messageId: '2' },
          // Joined, these two would be the same text.
          { ...identity, conversationId: 'a', messageId: 'b:c' },
          { ...identity, conversationId: 'a:b', messageId: 'c' },
        ];
        const seqs = await acceptAll(inbox, ...others.map((one) => arrival('', { identity: one })));
        expect(new Set(seqs).size).toBe(others.length);
      });

      test('fifty at once, each of them twice', async () => {
        const inbox = await open();
        const accepted = await Promise.all(
          Array.from({ length: 100 }, (_, n) => inbox.accept(arrival(`m${n % 50}`))),
        );
        expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(50);
        expect(new Set(accepted.map(({ message }) => message.seq)).size).toBe(50);
        const waiting = await inbox.waiting(arrival(''));
        expect(waiting.map(({ identity }) => identity.messageId)).toEqual(
          Array.from({ length: 50 }, (_, n) => `m${n}`),
        );
      });

      test('what the caller does with its objects later changes nothing', async () => {
        const inbox = await open();
        const given = structuredClone(arrival('1'));
        const { message } = await inbox.accept(given);
        given.ctx.Body = 'changed';
        (message.ctx as { Body: string }).Body = 'changed too';
        expect((await inbox.get(message.seq))?.ctx).toEqual(arrival('1').ctx);
      });

      test('any text comes back as it was', HUNT, async () => {
        const inbox = await open();
        // A lone half of a surrogate pair has no form on a network; JSON keeps it, other texts do not.
        const text = fc.string({ unit: 'grapheme' });
        const separator = readsNul() ? '\0' : '\u0001';
        await fc.assert(
          fc.asyncProperty(text, text, fc.uuid(), fc.string({ unit: 'binary' }), async (a, b, id, body) => {
            const conversationId = `${a}${separator}${b}`;
            const identity = { channel: a, accountId: b, conversationId, messageId: id };
            const one = arrival('', {
              identity,
              sessionKey: `k${a}`,
              agentId: b,
              ctx: { Body: body, From: a },
            });
            const { message } = await inbox.accept(one);
            expect(await inbox.find(identity)).toEqual({
              ...one,
              seq: message.seq,
              tries: 0,
              state: 'received',
            });
          }),
          cases({ gate: 30, torture: 500 }),
        );
      });
    });

    describe('waiting', () => {
      test('the messages of a session without an end, in order of arrival', async () => {
        const inbox = await open();
        const other = 'agent:main:telegram:dm:43';
        const [first, , third, fourth] = (await acceptAll(
          inbox,
          arrival('1'),
          arrival('2', { sessionKey: other }),
          arrival('3'),
          arrival('4'),
        )) as [number, number, number, number];
        await inbox.move([third], { state: 'queued' });
        await inbox.move([first], { state: 'running', turnId: 't' });
        await inbox.move([fourth], { state: 'dropped', reason: 'full' });
        const waiting = await inbox.waiting(arrival(''));
        expect(waiting.map(({ seq, state }) => [seq, state])).toEqual([
          [first, 'running'],
          [third, 'queued'],
        ]);
      });

      test('sessions, the one that waits longest first', async () => {
        const inbox = await open();
        const session = (key: string) => ({ sessionKey: key, agentId: `agent of ${key}` });
        const [a1] = await acceptAll(
          inbox,
          arrival('1', session('a')),
          arrival('2', session('b')),
          arrival('3', session('a')),
          arrival('4', session('c')),
        );
        const seqs = (await inbox.waitingSessions()).map(({ firstSeq }) => firstSeq);
        expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
        expect(await inbox.waitingSessions()).toMatchObject([
          { sessionKey: 'a', agentId: 'agent of a', firstSeq: a1, count: 2 },
          { sessionKey: 'b', agentId: 'agent of b', count: 1 },
          { sessionKey: 'c', agentId: 'agent of c', count: 1 },
        ]);
        await inbox.move([a1!], { state: 'answered', turnId: 't' });
        expect((await inbox.waitingSessions()).map(({ sessionKey }) => sessionKey)).toEqual(['b', 'a', 'c']);
      });

      test('sessions of two agents with one key are two', async () => {
        const inbox = await open();
        const [a, b] = (['a', 'b'] as const).map((agentId) => ({ agentId, sessionKey: 'global' }));
        const [inA, inB] = await acceptAll(inbox, arrival('1', a), arrival('2', b));
        expect((await inbox.waiting(a!)).map(({ seq }) => seq)).toEqual([inA]);
        expect((await inbox.waiting(b!)).map(({ seq }) => seq)).toEqual([inB]);
        expect(await inbox.waitingSessions()).toMatchObject([a!, b!]);
      });
    });

    describe('move', () => {
      const states: InboxState[] = [
        { state: 'queued' },
        { state: 'running', turnId: 't' },
        { state: 'received' },
        { state: 'answered', turnId: 't' },
        { state: 'dropped', reason: 'withdrawn' },
        { state: 'failed', error: 'no model' },
        { state: 'failed', turnId: 't', error: 'no model' },
      ];
      test.each(states)('to $state with its fields and no others', async (to) => {
        const inbox = await open();
        const [seq] = await acceptAll(inbox, arrival('1'));
        await inbox.move([seq!], { state: 'running', turnId: 'earlier' });
        await inbox.move([seq!], to);
        const tries = to.state === 'running' ? 2 : 1;
        expect(await inbox.get(seq!)).toEqual({ ...arrival('1'), seq, tries, ...to });
      });

      test.each(states.slice(3))('a message that has an end stays: $state', async (end) => {
        const inbox = await open();
        const [ended, waiting] = await acceptAll(inbox, arrival('1'), arrival('2'));
        await inbox.move([ended!], end);
        await inbox.move([ended!, waiting!, 4711], { state: 'running', turnId: 'later' });
        expect(await inbox.get(ended!)).toEqual({ ...arrival('1'), seq: ended, tries: 0, ...end });
        expect(await inbox.get(waiting!)).toMatchObject({ state: 'running', turnId: 'later', tries: 1 });
      });

      test('only from the states that are asked for, and says which', async () => {
        const inbox = await open();
        const [received, queued, running] = await acceptAll(inbox, arrival('1'), arrival('2'), arrival('3'));
        await inbox.move([queued!], { state: 'queued' });
        await inbox.move([running!], { state: 'running', turnId: 't' });
        const all = [received!, queued!, running!];
        const dropped = { state: 'dropped', reason: 'withdrawn' } as const;
        expect(await inbox.move(all, dropped, ['received', 'queued'])).toEqual([received, queued]);
        expect(await inbox.move(all, { state: 'queued' })).toEqual([running]);
        expect(await inbox.get(received!)).toMatchObject(dropped);
        expect(await inbox.get(running!)).toMatchObject({ state: 'queued' });
      });

      test('a turn has all of its messages, in order of arrival', async () => {
        const inbox = await open();
        const seqs = await acceptAll(inbox, arrival('1'), arrival('2'), arrival('3'));
        await inbox.move([seqs[2]!, seqs[0]!, seqs[0]!], { state: 'running', turnId: 't' });
        expect((await inbox.ofTurn('t')).map(({ seq, tries }) => [seq, tries])).toEqual([
          [seqs[0], 1],
          [seqs[2], 1],
        ]);
        await inbox.move(seqs, { state: 'answered', turnId: 't' });
        expect(await inbox.ofTurn('t')).toHaveLength(3);
        expect(await inbox.ofTurn('other')).toEqual([]);
      });
    });

    test('a message that has its end when it arrives waits for nothing, and is known when it comes again', async () => {
      const inbox = await open();
      for (const end of [
        { state: 'answered', turnId: 't' },
        { state: 'dropped', reason: 'not addressed' },
      ] as const) {
        const { message, isNew } = await inbox.accept(arrival(end.state), end);
        expect([message, isNew]).toEqual([expect.objectContaining(end), true]);
        expect(await inbox.accept(arrival(end.state))).toEqual({ message, isNew: false });
      }
      expect(await inbox.waitingSessions()).toEqual([]);
    });

    test('recent messages of a session in a conversation, in any state, oldest first', async () => {
      const inbox = await open();
      const seqs = await acceptAll(inbox, ...Array.from({ length: 6 }, (_, n) => arrival(String(n))));
      await acceptAll(inbox, arrival('x', { identity: { ...arrival('x').identity, conversationId: '7' } }));
      await inbox.move([seqs[4]!], { state: 'dropped', reason: 'not addressed' });
      const ids = async (limit: number) =>
        (await inbox.recent(arrival('').identity, limit, arrival(''))).map(
          ({ identity }) => identity.messageId,
        );
      expect(await ids(3)).toEqual(['3', '4', '5']);
      expect(await ids(50)).toEqual(['0', '1', '2', '3', '4', '5']);
      expect(await ids(0)).toEqual([]);
    });

    test('recent messages of one topic, and before another message', async () => {
      const inbox = await open();
      const topic = (n: number) => `agent:main:telegram:group:42:topic:${n}`;
      const sessions = [7, 9, 7, 9, 9, 7].map(topic);
      const seqs = await acceptAll(
        inbox,
        ...sessions.map((sessionKey, n) => arrival(String(n), { sessionKey })),
      );
      const ids = async (limit: number, among: Parameters<Inbox['recent']>[2]) =>
        (await inbox.recent(arrival('').identity, limit, among)).map(({ identity }) => identity.messageId);
      expect(await ids(2, { sessionKey: topic(7) })).toEqual(['2', '5']);
      expect(await ids(9, { sessionKey: topic(9) })).toEqual(['1', '3', '4']);
      expect(await ids(2, { sessionKey: topic(7), beforeSeq: seqs[5]! })).toEqual(['0', '2']);
    });

    describe('events', () => {
      const texts = async (inbox: Inbox, sessionKey: string, turnId: string) =>
        (await inbox.takeEvents(sessionKey, turnId)).map(({ text }) => text);

      test('are given to one turn, and to it again', async () => {
        const inbox = await open();
        await inbox.addEvent('s', { text: 'a', at: 1 });
        await inbox.addEvent('s', { text: 'b', at: 2 });
        await inbox.addEvent('other', { text: 'c', at: 3 });
        const given = await inbox.takeEvents('s', 't1');
        expect(given).toEqual([
          { text: 'a', at: 1 },
          { text: 'b', at: 2 },
        ]);
        await inbox.addEvent('s', { text: 'later', at: 4 });
        expect(await inbox.takeEvents('s', 't1')).toEqual(given);
        expect(await texts(inbox, 's', 't2')).toEqual(['later']);
        expect(await texts(inbox, 's', 't3')).toEqual([]);
      });

      test('the newest 20 wait, and the same text is not added twice in a row', async () => {
        const inbox = await open();
        for (let n = 0; n < 25; n++) {
          await inbox.addEvent('s', { text: `event ${n}`, at: n });
          await inbox.addEvent('s', { text: `event ${n}`, at: n + 1 });
        }
        await inbox.addEvent('s', { text: 'event 23', at: 100 });
        const given = await texts(inbox, 's', 't');
        expect(given).toEqual([...Array.from({ length: 19 }, (_, n) => `event ${n + 6}`), 'event 23']);
        await inbox.addEvent('s', { text: 'event 23', at: 200 });
        expect(await texts(inbox, 's', 'next')).toEqual(['event 23']);
      });
    });

    test('an event of the same text and time is kept once, also after a turn had it', async () => {
      const inbox = await open();
      await inbox.addEvent('s', { text: 'a', at: 1 });
      await inbox.addEvent('s', { text: 'b', at: 1 });
      await inbox.addEvent('s', { text: 'a', at: 1 });
      expect(await inbox.takeEvents('s', 't1')).toHaveLength(2);
      await inbox.addEvent('s', { text: 'a', at: 1 });
      await inbox.addEvent('other', { text: 'a', at: 1 });
      expect(await inbox.takeEvents('s', 't2')).toEqual([]);
      await inbox.addEvent('s', { text: 'a', at: 2 });
      expect(await inbox.takeEvents('s', 't3')).toEqual([{ text: 'a', at: 2 }]);
      expect(await inbox.takeEvents('other', 't4')).toHaveLength(1);
    });

    test('prune removes what ended and is old, and nothing that waits', async () => {
      const inbox = await open();
      const at = (receivedAt: number) => ({ receivedAt });
      const [old, fresh, waiting, running] = (await acceptAll(
        inbox,
        arrival('1', at(10)),
        arrival('2', at(30)),
        arrival('3', at(10)),
        arrival('4', at(10)),
      )) as [number, number, number, number];
      await inbox.move([old], { state: 'answered', turnId: 'done' });
      await inbox.move([fresh], { state: 'failed', error: 'x' });
      await inbox.move([running], { state: 'running', turnId: 'now' });
      await inbox.addEvent('a', { text: 'of the turn that is done', at: 1 });
      await inbox.takeEvents('a', 'done');
      await inbox.addEvent('a', { text: 'of the turn that runs', at: 1 });
      await inbox.takeEvents('a', 'now');
      await inbox.addEvent('a', { text: 'waits', at: 1 });

      expect(await inbox.prune(20)).toBe(1);
      expect(await inbox.get(old)).toBeUndefined();
      for (const seq of [fresh, waiting, running]) expect(await inbox.get(seq)).toBeDefined();
      expect(await inbox.takeEvents('a', 'now')).toHaveLength(1);
      expect(await inbox.takeEvents('a', 'done')).toEqual([{ text: 'waits', at: 1 }]);
      const { message } = await inbox.accept(arrival('1'));
      expect(message.seq).toBeGreaterThan(running);
    });

    test('of messages without a session only the newest of an account stay', async () => {
      const inbox = await open();
      const drop = async (id: string, more: Partial<Arrival>) => {
        const as = { state: 'dropped', reason: 'not heard' } as const;
        return (await inbox.accept(arrival(id, more), as)).message.seq;
      };
      const nobody = { agentId: '', sessionKey: '' };
      const [first, second, third] = [
        await drop('1', nobody),
        await drop('2', nobody),
        await drop('3', nobody),
      ];
      const other = { channel: 'other', accountId: 'default', conversationId: 'c', messageId: '1' };
      const elsewhere = await drop('4', { ...nobody, identity: other });
      const ofSession = await drop('5', {});
      const { channel, accountId } = arrival('1').identity;
      expect(await inbox.pruneUnheard({ channel, accountId }, 3)).toBe(0);
      expect(await inbox.pruneUnheard({ channel, accountId }, 2)).toBe(1);
      expect(await inbox.get(first)).toBeUndefined();
      for (const seq of [second, third, elsewhere, ofSession]) expect(await inbox.get(seq)).toBeDefined();
    });

    test('tells of its changes until it is asked to stop', async () => {
      const inbox = await open();
      let calls = 0;
      const end = inbox.onChange(() => {
        calls++;
      });
      const { message } = await inbox.accept(arrival('1'));
      expect(calls).toBe(1);
      await inbox.move([message.seq], { state: 'queued' });
      expect(calls).toBe(2);
      end();
      await inbox.accept(arrival('2'));
      expect(calls).toBe(2);
    });

    test('behaves as a list of messages does, whatever is done in whatever order', HUNT, () =>
      checkAgainstModel(open),
    );
  });
}

/** Node 22.19 cuts a text of SQLite off at a NUL character, which no network has in an id. */
function readsNul(): boolean {
  const database = new DatabaseSync(':memory:');
  const { text } = database.prepare("SELECT 'a' || char(0) AS text").get() as { text: string };
  database.close();
  return text.length === 2;
}
