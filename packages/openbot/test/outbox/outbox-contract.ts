import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import type { Outbox } from '../../src/outbox/contract.ts';
import { outbound } from './outbound.ts';
import { checkAgainstModel } from './outbox-model.ts';

/** What every outbox does, whatever it is kept in. `open` gives an empty one. */
export function describeOutboxContract(name: string, open: () => Promise<Outbox>): void {
  const claim = (outbox: Outbox, { owner = 'me', now = 1000, limit = 10, channel = 'telegram' } = {}) =>
    outbox.claim({ channel, accountId: 'default', owner, now, leaseMs: 50, limit });
  const claimKeys = async (...args: Parameters<typeof claim>) => (await claim(...args)).map(({ key }) => key);

  describe(`${name} outbox`, () => {
    describe('put', () => {
      test('keeps messages as they are, to be sent at once', async () => {
        const outbox = await open();
        const bare = { ...outbound('b'), turnId: undefined } as never;
        await outbox.put([outbound('t:1', '42', { target: { ...outbound('').target, threadId: 7 } }), bare]);
        const start = { state: 'waiting', nextTryAt: 0, tries: 0, mayBeRepeat: false };
        const first = await outbox.get('t:1');
        expect(first).toEqual({
          ...outbound('t:1', '42', { target: { ...outbound('').target, threadId: 7 } }),
          ...start,
          seq: first?.seq,
        });
        expect(await outbox.get('b')).not.toHaveProperty('turnId');
        expect(await outbox.get('never')).toBeUndefined();
      });

      test('leaves a known key as it is, and keeps the others', async () => {
        const outbox = await open();
        expect(await outbox.put([outbound('t:1')])).toEqual(['t:1']);
        await claim(outbox);
        const again = outbound('t:1', '42', { payload: { text: 'other' } });
        expect(await outbox.put([again, outbound('t:2')])).toEqual(['t:2']);
        expect(await outbox.get('t:1')).toMatchObject({ state: 'sending', payload: { text: 'text of t:1' } });
        expect((await outbox.ofTurn('t')).map(({ key }) => key)).toEqual(['t:1', 't:2']);
      });

      test('keeps what is told already, and gives it to no sender', async () => {
        const outbox = await open();
        await outbox.put([outbound('t:1', '42', { isTold: true, createdAt: 7 }), outbound('t:2')]);
        expect(await outbox.get('t:1')).toMatchObject({ state: 'sent', sentAt: 7, ids: [], tries: 0 });
        expect(await outbox.get('t:1')).not.toHaveProperty('isTold');
        expect(await claimKeys(outbox)).toEqual(['t:2']);
      });

      test('all or none', async () => {
        const outbox = await open();
        const cyclic: Record<string, unknown> = {};
        cyclic.self = cyclic;
        const bad = outbound('t:2', '42', { payload: { channelData: cyclic } });
        await expect(outbox.put([outbound('t:1'), bad])).rejects.toThrow();
        expect(await outbox.ofTurn('t')).toEqual([]);
      });
    });

    describe('claim', () => {
      test('gives out the first message to each target', async () => {
        const outbox = await open();
        await outbox.put([outbound('1'), outbound('2'), outbound('3', '43')]);
        const thread = outbound('4', '42', { target: { ...outbound('').target, threadId: 'a' } });
        await outbox.put([thread, outbound('5', '42', { target: { ...thread.target, threadId: 'b' } })]);
        expect(await claimKeys(outbox, { limit: 2 })).toEqual(['1', '3']);
        expect(await claimKeys(outbox)).toEqual(['4', '5']);
        expect(await claimKeys(outbox)).toEqual([]);
        await outbox.sent('1', 'me', { at: 1001, ids: ['x'] });
        expect(await claimKeys(outbox)).toEqual(['2']);
      });

      test('marks them as being sent, and counts the try', async () => {
        const outbox = await open();
        await outbox.put([outbound('1')]);
        const [claimed] = await claim(outbox);
        expect(claimed).toMatchObject({
          state: 'sending',
          owner: 'me',
          until: 1050,
          tries: 1,
          mayBeRepeat: false,
        });
        expect(await outbox.get('1')).toEqual(claimed);
      });

      test('only for its account, and at once, also after the clock was set back', async () => {
        const outbox = await open();
        const target = outbound('').target;
        await outbox.put([
          outbound('1', '42', { target: { ...target, channel: 'discord' } }),
          outbound('2', '42', { target: { ...target, accountId: 'second' } }),
          outbound('3', '42', { createdAt: 5000 }),
        ]);
        expect(await claimKeys(outbox, { now: 1000 })).toEqual(['3']);
      });

      test('again, as a possible repeat, when the time of its owner is up', async () => {
        const outbox = await open();
        await outbox.put([outbound('1'), outbound('2')]);
        await claim(outbox, { owner: 'dead' });
        expect(await claimKeys(outbox, { owner: 'next', now: 1049 })).toEqual([]);
        const [again] = await claim(outbox, { owner: 'next', now: 1050 });
        expect(again).toMatchObject({ key: '1', owner: 'next', tries: 2, mayBeRepeat: true });
        expect(await outbox.sent('1', 'dead', { at: 1051, ids: [] })).toBe(false);
        expect(await outbox.sent('1', 'next', { at: 1052, ids: [] })).toBe(true);
      });

      test('at once when its owner is known to be gone', async () => {
        const outbox = await open();
        await outbox.put([outbound('1', 'a'), outbound('2', 'b')]);
        await claim(outbox, { owner: 'gone', limit: 1 });
        await claim(outbox, { owner: 'here', limit: 1 });
        expect(await outbox.release((owner) => owner === 'gone')).toBe(1);
        const again = await claim(outbox, { owner: 'next' });
        expect(again).toMatchObject([{ key: '1', owner: 'next', mayBeRepeat: true }]);
        expect(await outbox.sent('1', 'gone', { at: 1, ids: [] })).toBe(false);
        expect(await outbox.release(() => false)).toBe(0);
      });

      test('of many callers at once one gets it', async () => {
        const outbox = await open();
        await outbox.put(Array.from({ length: 20 }, (_, n) => outbound(`k${n}`, String(n))));
        const claims = await Promise.all(
          Array.from({ length: 10 }, (_, n) => claimKeys(outbox, { owner: `o${n}`, limit: 3 })),
        );
        expect(claims.flat().toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `k${n}`).toSorted());
      });
    });

    describe('the end of a try', () => {
      test('sent', async () => {
        const outbox = await open();
        await outbox.put([outbound('1')]);
        expect(await outbox.sent('1', 'me', { at: 1, ids: [] })).toBe(false);
        await claim(outbox);
        expect(await outbox.sent('1', 'another', { at: 1, ids: [] })).toBe(false);
        const result = { at: 1001, ids: ['a', 'b'], error: 'a file was too large' };
        expect(await outbox.sent('1', 'me', result)).toBe(true);
        expect(await outbox.get('1')).toMatchObject({
          state: 'sent',
          sentAt: 1001,
          ids: ['a', 'b'],
          tries: 1,
          error: 'a file was too large',
        });
        expect(await outbox.sent('1', 'me', { at: 1002, ids: [] })).toBe(false);
      });

      test.each([true, false])('retry, after it may have arrived: %s', async (mayHaveArrived) => {
        const outbox = await open();
        await outbox.put([outbound('1'), outbound('2')]);
        await claim(outbox);
        const failure = { error: 'timeout', nextTryAt: 2000, mayHaveArrived };
        expect(await outbox.retry('1', 'another', failure)).toBe(false);
        expect(await outbox.retry('1', 'me', failure)).toBe(true);
        const waiting = { state: 'waiting', nextTryAt: 2000, error: 'timeout', mayBeRepeat: mayHaveArrived };
        expect(await outbox.get('1')).toMatchObject(waiting);
        expect(await claimKeys(outbox, { now: 1999 })).toEqual([]);
        expect(await claim(outbox, { now: 2000 })).toMatchObject([
          { key: '1', tries: 2, mayBeRepeat: mayHaveArrived },
        ]);
        await outbox.retry('1', 'me', { ...failure, mayHaveArrived: false });
        expect(await outbox.get('1')).toMatchObject({ mayBeRepeat: mayHaveArrived });
      });

      test('parts that got through are kept, and the next try is told of them', async () => {
        const outbox = await open();
        await outbox.put([outbound('1')]);
        expect(await outbox.addPart('1', 'me', { id: 'a', isMarked: true, until: 2000 })).toBe(false);
        await claim(outbox);
        expect(await outbox.get('1')).not.toHaveProperty('parts');
        expect(await outbox.addPart('1', 'another', { id: 'a', isMarked: true, until: 2000 })).toBe(false);
        expect(await outbox.addPart('1', 'me', { id: 'a', isMarked: true, until: 2000 })).toBe(true);
        expect(await outbox.addPart('1', 'me', { id: 'b', isMarked: false, until: 2000 })).toBe(true);
        expect(await outbox.addPart('1', 'me', { id: 'b', isMarked: false, until: 2000 })).toBe(true);
        await outbox.retry('1', 'me', { error: 'busy', nextTryAt: 2000, mayHaveArrived: false });
        const parts = { ids: ['a', 'b'], isMarked: true };
        expect(await claim(outbox, { now: 2000 })).toMatchObject([{ key: '1', tries: 2, parts }]);
        await outbox.sent('1', 'me', { at: 2001, ids: ['a', 'b', 'c'] });
        expect(await outbox.get('1')).toMatchObject({ state: 'sent', ids: ['a', 'b', 'c'] });
        expect(await outbox.get('1')).not.toHaveProperty('error');
        expect(await outbox.get('1')).not.toHaveProperty('parts');
      });

      test('a claim lasts longer where its owner says so', async () => {
        const outbox = await open();
        await outbox.put([outbound('1')]);
        expect(await outbox.extend('1', 'me', 5000)).toBe(false);
        await claim(outbox);
        expect(await outbox.extend('1', 'another', 5000)).toBe(false);
        expect(await outbox.extend('1', 'me', 5000)).toBe(true);
        expect(await outbox.nextDue('telegram', 'default')).toBe(5000);
        expect(await claimKeys(outbox, { owner: 'another', now: 4999 })).toEqual([]);
        await outbox.addPart('1', 'me', { id: 'a', isMarked: false, until: 6000 });
        expect(await claimKeys(outbox, { owner: 'another', now: 5999 })).toEqual([]);
        expect(await claimKeys(outbox, { owner: 'another', now: 6000 })).toEqual(['1']);
      });

      test('a proof of the network ends it, whoever sends it', async () => {
        const outbox = await open();
        await outbox.put([outbound('1', '1'), outbound('2', '2'), outbound('3', '3')]);
        expect(await outbox.prove('never', { at: 1, id: 'x' })).toBe(false);
        await claim(outbox, { limit: 2 });
        await outbox.retry('1', 'me', { error: 'timeout', nextTryAt: 2000, mayHaveArrived: true });
        expect(await outbox.prove('1', { at: 1001, id: 'x' })).toBe(true);
        expect(await outbox.prove('2', { at: 1002, id: 'y' })).toBe(true);
        expect(await outbox.prove('2', { at: 1003, id: 'z' })).toBe(false);
        expect(await outbox.sent('2', 'me', { at: 1004, ids: ['other'] })).toBe(false);
        expect(await outbox.get('1')).toMatchObject({ state: 'sent', sentAt: 1001, ids: ['x'] });
        expect(await outbox.get('2')).toMatchObject({ state: 'sent', sentAt: 1002, ids: ['y'] });
        expect(await claimKeys(outbox, { now: 9000 })).toEqual(['3']);
      });

      test('proofs of parts, of which the last ends it', async () => {
        const outbox = await open();
        await outbox.put([outbound('1')]);
        await claim(outbox);
        const prove = (index: number, id: string) =>
          outbox.prove('1', { at: 1001, id, part: { index, count: 3 } });
        expect(await prove(1, 'b')).toBe(false);
        expect(await prove(0, 'a')).toBe(true);
        expect(await outbox.addPart('1', 'me', { id: 'a', isMarked: false, until: 2000 })).toBe(true);
        expect(await prove(1, 'b')).toBe(true);
        expect(await outbox.get('1')).toMatchObject({ state: 'sending', parts: { ids: ['a', 'b'] } });
        expect(await prove(2, 'c')).toBe(true);
        expect(await outbox.get('1')).toMatchObject({ state: 'sent', ids: ['a', 'b', 'c'] });
      });

      test('a message that the network gave up later is dead', async () => {
        const outbox = await open();
        await outbox.put([outbound('1', '1'), outbound('2', '2'), outbound('3', '3')]);
        const { target } = outbound('');
        expect(await outbox.refuse('1', { at: 1, error: 'no', id: 'x' })).toBeUndefined();
        await claim(outbox, { limit: 2 });
        await outbox.sent('1', 'me', { at: 1001, ids: ['x', 'y'] });
        expect(await outbox.findSent({ ...target, accountId: 'second' }, 'y')).toBeUndefined();
        expect(await outbox.findSent(target, 'z')).toBeUndefined();
        expect(await outbox.findSent(target, 'y')).toMatchObject({ key: '1' });
        const refused = await outbox.refuse('1', { at: 1002, error: 'undeliverable', id: 'y' });
        expect(refused).toMatchObject({ key: '1', state: 'dead', diedAt: 1002, error: 'undeliverable' });
        expect(refused).toMatchObject({ parts: { ids: ['x'] } });
        expect(await outbox.get('1')).toEqual(refused);
        expect(await outbox.refuse('1', { at: 1003, error: 'again', id: 'y' })).toBeUndefined();
        expect(await outbox.refuse('2', { at: 1003, error: 'no', id: 'z' })).toMatchObject({ state: 'dead' });
        expect(await outbox.sent('2', 'me', { at: 1004, ids: [] })).toBe(false);
      });

      test('a message that the network gave up for now waits, behind the parts that arrived', async () => {
        const outbox = await open();
        await outbox.put([outbound('1'), outbound('2', '2')]);
        await claim(outbox);
        await outbox.sent('1', 'me', { at: 1001, ids: ['a', 'b', 'c'] });
        await outbox.sent('2', 'me', { at: 1001, ids: ['d'] });
        const failure = { at: 1002, error: 'busy', nextTryAt: 3000 };
        expect(await outbox.refuse('1', { ...failure, id: 'of an earlier try' })).toBeUndefined();
        const waiting = { state: 'waiting', nextTryAt: 3000, error: 'busy' };
        // What is behind the part is sent again, and arrived before.
        expect(await outbox.refuse('1', { ...failure, id: 'b' })).toMatchObject({
          ...waiting,
          mayBeRepeat: true,
          parts: { ids: ['a'] },
        });
        const whole = await outbox.refuse('2', { ...failure, id: 'd' });
        expect(whole).toMatchObject({ ...waiting, mayBeRepeat: false });
        expect(whole).not.toHaveProperty('parts');
        expect(await claimKeys(outbox, { now: 2999 })).toEqual([]);
        expect(await claim(outbox, { now: 3000 })).toMatchObject([{ key: '1', tries: 2 }, { key: '2' }]);
      });

      test('dead: it is listed, and the next one goes on', async () => {
        const outbox = await open();
        await outbox.put([outbound('1'), outbound('2')]);
        await claim(outbox);
        expect(await outbox.dead('1', 'me', { error: 'blocked', at: 1001 })).toBe(true);
        await claim(outbox);
        expect(await outbox.dead('2', 'me', { error: 'blocked', at: 1002 })).toBe(true);
        const dead = await outbox.listDead(10);
        expect(dead.map(({ key }) => key)).toEqual(['2', '1']);
        expect(dead[1]).toMatchObject({ state: 'dead', diedAt: 1001, error: 'blocked' });
        expect(await outbox.listDead(1)).toHaveLength(1);
        expect(await claimKeys(outbox, { now: 1e15 })).toEqual([]);
      });
    });

    test('says when the next one is due', async () => {
      const outbox = await open();
      const due = () => outbox.nextDue('telegram', 'default');
      expect(await due()).toBeUndefined();
      await outbox.put([outbound('1', '42', { createdAt: 500 }), outbound('2', '42', { createdAt: 100 })]);
      await outbox.put([outbound('3', '43', { createdAt: 700 })]);
      expect(await due()).toBe(0);
      await claim(outbox);
      expect(await due()).toBe(1050);
      await outbox.sent('3', 'me', { at: 1, ids: [] });
      await outbox.retry('1', 'me', { error: 'x', nextTryAt: 3000, mayHaveArrived: false });
      expect(await due()).toBe(3000);
      expect(await outbox.nextDue('telegram', 'second')).toBeUndefined();
    });

    test('says which accounts have something to send', async () => {
      const outbox = await open();
      const target = outbound('').target;
      await outbox.put([outbound('1'), outbound('2')]);
      await outbox.put([outbound('3', '42', { target: { ...target, accountId: 'second' } })]);
      await outbox.put([outbound('4', '42', { target: { ...target, channel: 'discord' } })]);
      await claim(outbox);
      const accounts = await outbox.waitingAccounts();
      expect(accounts).toHaveLength(3);
      expect(accounts).toContainEqual({ channel: 'telegram', accountId: 'default', count: 2 });
      expect(accounts).toContainEqual({ channel: 'telegram', accountId: 'second', count: 1 });
      expect(accounts).toContainEqual({ channel: 'discord', accountId: 'default', count: 1 });
      await outbox.sent('1', 'me', { at: 1, ids: [] });
      await claim(outbox);
      await outbox.dead('2', 'me', { at: 1, error: 'x' });
      expect(await outbox.waitingAccounts()).toHaveLength(2);
    });

    test('counts, and forgets what was sent long ago', async () => {
      const outbox = await open();
      await outbox.put(['1', '2', '3', '4'].map((key) => outbound(key, key)));
      await claim(outbox, { limit: 3 });
      await outbox.sent('1', 'me', { at: 10, ids: [] });
      await outbox.sent('2', 'me', { at: 30, ids: [] });
      expect(await outbox.counts()).toEqual({ waiting: 1, sending: 1, sent: 2, dead: 0 });
      expect(await outbox.prune({ sent: 20, dead: 40 })).toBe(1);
      expect(await outbox.get('1')).toBeUndefined();
      expect(await outbox.counts()).toEqual({ waiting: 1, sending: 1, sent: 1, dead: 0 });
    });

    test('forgets dead letters later, in some channels sooner', async () => {
      const outbox = await open();
      const cli = { ...outbound('').target, channel: 'cli' };
      await outbox.put([outbound('1', '1'), outbound('2', '2'), outbound('3', '3', { target: cli })]);
      await outbox.put([outbound('4', '4', { target: { ...cli, to: '4' } })]);
      await claim(outbox, { limit: 4 });
      await claim(outbox, { limit: 4, channel: 'cli' });
      for (const [key, at] of [
        ['1', 10],
        ['2', 30],
        ['3', 30],
        ['4', 50],
      ] as const)
        expect(await outbox.dead(key, 'me', { at, error: 'no way' })).toBe(true);
      expect(await outbox.prune({ sent: 60, dead: 20, deadIn: { cli: 40 } })).toBe(2);
      expect((await outbox.listDead(4)).map(({ key }) => key)).toEqual(['4', '2']);
    });

    test('tells of its changes until it is asked to stop', async () => {
      const outbox = await open();
      let calls = 0;
      const end = outbox.onChange(() => {
        calls++;
      });
      await outbox.put([outbound('1')]);
      expect(calls).toBe(1);
      end();
      await outbox.put([outbound('2')]);
      expect(calls).toBe(1);
    });

    test('behaves as a list of messages does, whatever is done in whatever order', HUNT, () =>
      checkAgainstModel(open),
    );
  });
}
