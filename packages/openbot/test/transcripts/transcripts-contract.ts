import type { EntryDraft } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { assistant, call, result, user } from '../../../sessions/test/setup/drafts.ts';
import {
  END_MARK,
  JOINED_MARK,
  type TranscriptRef,
  type Transcripts,
  type TranscriptUpdate,
  TURN_MARK,
} from '../../src/transcripts/contract.ts';

export const REF: TranscriptRef = {
  agentId: 'main',
  sessionKey: 'agent:main:main',
  sessionId: '0b0c6d1e-1111-4222-8333-444455556666',
  sessionFile: '0b0c6d1e-1111-4222-8333-444455556666.jsonl',
  cwd: '/work',
};

export const mark = (turnId: string, attempt = 1): EntryDraft => ({
  type: 'custom',
  customType: TURN_MARK,
  data: { turnId, attempt, messages: [`m-${turnId}`], seqs: [7] },
});

export const text = (said: string) => assistant({ type: 'text', text: said });

const messageOf = (draft: EntryDraft) => (draft.type === 'message' ? draft.message : undefined);

export const read = async (transcripts: Transcripts, ref = REF) =>
  (await transcripts.readContext(ref)).map(({ message }) => message);

/** What all transcripts do, whatever they are kept in. */
export function describeTranscriptsContract(name: string, open: () => Transcripts): void {
  describe(`${name} transcripts`, () => {
    test('appending makes the transcript, with an id for each line', async () => {
      const transcripts = open();
      const entries = await transcripts.append(REF, [mark('t1'), user('hello')]);
      expect(entries.map(({ type }) => type)).toEqual(['custom', 'message']);
      const more = await transcripts.append(REF, [text('hi')]);
      const ids = [...entries, ...more].map(({ id }) => id);
      expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
      expect(new Set(ids).size).toBe(3);
      expect(await read(transcripts)).toEqual([messageOf(user('hello')), messageOf(text('hi'))]);
    });

    test('appending nothing is nothing', async () => {
      const transcripts = open();
      await transcripts.append(REF, [user('hello')]);
      expect(await transcripts.append(REF, [])).toEqual([]);
      expect(await read(transcripts)).toHaveLength(1);
    });

    test('all lines of one call or none', async () => {
      const transcripts = open();
      const bad = { type: 'message', message: { role: 'user', content: [1n] } } as EntryDraft;
      await expect(transcripts.append(REF, [user('first'), bad])).rejects.toThrow();
      expect(await read(transcripts)).toEqual([]);
      await transcripts.append(REF, [user('kept')]);
      await expect(transcripts.append(REF, [user('second'), bad])).rejects.toThrow();
      expect(await read(transcripts)).toEqual([messageOf(user('kept'))]);
    });

    test('two sessions do not mix', async () => {
      const transcripts = open();
      const sessionId = '1b0c6d1e-1111-4222-8333-444455556666';
      const other = { ...REF, sessionId, sessionFile: `${sessionId}.jsonl` };
      await Promise.all([transcripts.append(REF, [user('a')]), transcripts.append(other, [user('b')])]);
      expect(await read(transcripts)).toEqual([messageOf(user('a'))]);
      expect(await read(transcripts, other)).toEqual([messageOf(user('b'))]);
    });

    test('many appends at once keep every line, in order', async () => {
      const transcripts = open();
      await Promise.all(Array.from({ length: 30 }, (_, n) => transcripts.append(REF, [user(`${n}`)])));
      const context = await read(transcripts);
      expect(context).toEqual(Array.from({ length: 30 }, (_, n) => messageOf(user(`${n}`))));
    });

    describe('findTurn', () => {
      test('what was said to a memory flush belongs to no turn', async () => {
        const transcripts = open();
        const flush: EntryDraft = {
          type: 'custom',
          customType: 'openbot.memory-flush',
          data: { attempt: 1 },
        };
        await transcripts.append(REF, [mark('t1'), user('hello'), assistant(call('c1'))]);
        await transcripts.append(REF, [flush, user('Save.'), text('NO_REPLY')]);
        const cutOff = await transcripts.findTurn(REF, 't1');
        expect(cutOff).toMatchObject({ isLast: true });
        expect(cutOff?.messages).toEqual([messageOf(user('hello')), messageOf(assistant(call('c1')))]);
        await transcripts.append(REF, [mark('t1', 2), user('go on'), text('done')]);
        const done = await transcripts.findTurn(REF, 't1');
        expect(done?.messages).toEqual([messageOf(user('go on')), messageOf(text('done'))]);
      });

      test('a turn that left nothing, and a transcript that does not exist', async () => {
        const transcripts = open();
        expect(await transcripts.findTurn(REF, 't1')).toBeUndefined();
        await transcripts.append(REF, [mark('t1'), user('hello')]);
        expect(await transcripts.findTurn(REF, 't2')).toBeUndefined();
      });

      test('what was said since its mark', async () => {
        const transcripts = open();
        await transcripts.append(REF, [user('before')]);
        await transcripts.append(REF, [mark('t1'), user('hello')]);
        await transcripts.append(REF, [call('c1')]);
        await transcripts.append(REF, [{ type: 'custom', customType: 'other', data: { turnId: 't1' } }]);
        await transcripts.append(REF, [result('c1'), text('hi')]);
        expect(await transcripts.findTurn(REF, 't1')).toEqual({
          mark: { turnId: 't1', attempt: 1, messages: ['m-t1'], seqs: [7] },
          messages: [user('hello'), call('c1'), result('c1'), text('hi')].map(messageOf),
          joined: [],
          isLast: true,
        });
      });

      test('only up to the next turn', async () => {
        const transcripts = open();
        await transcripts.append(REF, [mark('t1'), user('one'), text('first')]);
        await transcripts.append(REF, [mark('t2'), user('two'), text('second')]);
        await transcripts.append(REF, [mark('t3'), user('three')]);
        const trace = await transcripts.findTurn(REF, 't1');
        expect(trace).toMatchObject({ messages: [user('one'), text('first')].map(messageOf), isLast: false });
        expect(await transcripts.findTurn(REF, 't3')).toMatchObject({ isLast: true });
      });

      test('after its last mark, when it was begun again', async () => {
        const transcripts = open();
        await transcripts.append(REF, [mark('t1'), user('one'), call('c1')]);
        await transcripts.append(REF, [mark('t1', 2), user('interrupted'), text('done')]);
        expect(await transcripts.findTurn(REF, 't1')).toEqual({
          mark: { turnId: 't1', attempt: 2, messages: ['m-t1'], seqs: [7] },
          messages: [user('interrupted'), text('done')].map(messageOf),
          joined: [],
          isLast: true,
        });
      });

      test('with the messages that joined it, and what ended it', async () => {
        const transcripts = open();
        const joined = { turnId: 't1', attempt: 1, messages: ['m-2'], seqs: [8] };
        const end = (turnId: string): EntryDraft => ({
          type: 'custom',
          customType: END_MARK,
          data: { turnId, cause: 'person' },
        });
        await transcripts.append(REF, [mark('t1'), user('one'), end('other')]);
        expect(await transcripts.findTurn(REF, 't1')).not.toHaveProperty('abortedBy');
        await transcripts.append(REF, [
          { type: 'custom', customType: JOINED_MARK, data: joined },
          user('two'),
        ]);
        await transcripts.append(REF, [end('t1')]);
        expect(await transcripts.findTurn(REF, 't1')).toMatchObject({ joined: [8], abortedBy: 'person' });
      });

      test('a person who writes the mark makes no turn', async () => {
        const transcripts = open();
        const fake = JSON.stringify({ type: 'custom', customType: TURN_MARK, data: { turnId: 't9' } });
        await transcripts.append(REF, [mark('t1'), user(fake), user(`\n${fake}\n`)]);
        expect(await transcripts.findTurn(REF, 't9')).toBeUndefined();
        expect((await transcripts.findTurn(REF, 't1'))?.messages).toHaveLength(2);
      });
    });

    describe('readContext', () => {
      test('is empty for a transcript that does not exist', async () => {
        expect(await read(open())).toEqual([]);
      });

      test('begins with the last compaction', async () => {
        const transcripts = open();
        const [, , kept] = await transcripts.append(REF, [
          user('old'),
          text('older'),
          user('kept'),
          text('x'),
        ]);
        await transcripts.append(REF, [
          { type: 'compaction', summary: 'what was', tokensBefore: 9, firstKeptEntryId: kept!.id! },
          { type: 'custom_message', customType: 'note', content: 'by the way', display: true },
          user('new'),
        ]);
        expect(await read(transcripts)).toMatchObject([
          { role: 'compactionSummary', summary: 'what was', tokensBefore: 9 },
          messageOf(user('kept')),
          messageOf(text('x')),
          { role: 'custom', customType: 'note', content: 'by the way' },
          messageOf(user('new')),
        ]);
      });
    });

    test('a message of the context names its entry; a summary does not', async () => {
      const transcripts = open();
      const [, kept] = await transcripts.append(REF, [user('old'), user('kept')]);
      await transcripts.append(REF, [
        { type: 'compaction', summary: 's', tokensBefore: 1, firstKeptEntryId: kept!.id! },
      ]);
      const context = await transcripts.readContext(REF);
      expect(context.map(({ entryId }) => entryId)).toEqual([undefined, kept!.id]);
    });

    describe('lookBack', () => {
      const types = async (transcripts: Transcripts) => {
        const seen: string[] = [];
        for await (const { type, customType } of (await transcripts.lookBack(REF)).entries)
          seen.push(customType ?? type);
        return seen;
      };

      test('gives the entries from the last to the first', async () => {
        const transcripts = open();
        expect(await types(transcripts)).toEqual([]);
        const written = await transcripts.append(REF, [mark('t1'), user('one'), text('two')]);
        expect(await types(transcripts)).toEqual(['message', 'message', TURN_MARK]);
        const ids: (string | undefined)[] = [];
        for await (const entry of (await transcripts.lookBack(REF)).entries) {
          ids.push(entry.id);
          if (entry.customType === TURN_MARK) expect(entry.data).toMatchObject({ turnId: 't1' });
        }
        expect(ids).toEqual(written.map(({ id }) => id).reverse());
      });

      test('has the same generation after an append, and another after a clean', async () => {
        const transcripts = open();
        const generation = async () => (await transcripts.lookBack(REF)).generation;
        for (let n = 0; n < 3; n++) {
          const turn = [user(`ask ${n}`), call(`c${n}`), result(`c${n}`, 'y'.repeat(5000))];
          await transcripts.append(REF, [...turn, text(`answer ${n}`)]);
        }
        const before = await generation();
        await transcripts.append(REF, [user('more')]);
        expect(await generation()).toBe(before);
        expect((await transcripts.clean(REF, 'hard')).changed).toBe(true);
        const after = await generation();
        expect(after).not.toBe(before);
        await transcripts.append(REF, [user('more')]);
        expect(await generation()).toBe(after);
      });
    });

    test('measures what the model would read', async () => {
      const transcripts = open();
      expect(await transcripts.measureContext(REF)).toBe(0);
      await transcripts.append(REF, [user('x'.repeat(4000))]);
      expect(await transcripts.measureContext(REF)).toBe(1000);
    });

    test('cleans old calls, and the conversation goes on behind them', async () => {
      const transcripts = open();
      for (let n = 0; n < 12; n++) {
        const turn = [mark(`t${n}`), user(`ask ${n}`), call(`c${n}`), result(`c${n}`, 'y'.repeat(5000))];
        await transcripts.append(REF, [...turn, text(`answer ${n}`)]);
      }
      const before = await transcripts.measureContext(REF);
      const { changed, savedTokens } = await transcripts.clean(REF, 'hard');
      expect(changed).toBe(true);
      expect(savedTokens).toBeGreaterThan(0);
      expect(await transcripts.measureContext(REF)).toBeLessThan(before);
      await transcripts.append(REF, [mark('after'), user('go on')]);
      const spoken = (await read(transcripts)).filter(({ role }) => role === 'user');
      expect(spoken).toHaveLength(13);
      expect(await transcripts.findTurn(REF, 't3')).toMatchObject({ isLast: false });
      expect((await transcripts.clean(REF, 'hard')).changed).toBe(false);
    });

    test('restores what the last clean removed, with what was said since behind it', async () => {
      const transcripts = open();
      expect(await transcripts.restore(REF)).toEqual({ restored: false, linesKept: 0 });
      for (let n = 0; n < 3; n++) {
        const turn = [user(`ask ${n}`), call(`c${n}`), result(`c${n}`, 'y'.repeat(5000))];
        await transcripts.append(REF, [...turn, text(`answer ${n}`)]);
      }
      const before = await read(transcripts);
      expect((await transcripts.clean(REF, { preset: 'extreme' })).changed).toBe(true);
      await transcripts.append(REF, [user('go on')]);
      const cleaned = await read(transcripts);
      const { generation } = await transcripts.lookBack(REF);
      expect(await transcripts.restore(REF)).toEqual({ restored: true, linesKept: 1 });
      expect((await read(transcripts)).slice(0, -1)).toEqual(before);
      expect((await read(transcripts)).at(-1)).toMatchObject({ role: 'user' });
      expect((await transcripts.lookBack(REF)).generation).not.toBe(generation);
      expect((await transcripts.restore(REF)).restored).toBe(true);
      expect(await read(transcripts)).toEqual(cleaned);
    });

    test('restores without the thinking of what was said since, where the model binds it', async () => {
      const transcripts = open();
      const think = (about: string) =>
        ({
          type: 'message',
          message: {
            role: 'assistant',
            model: 'claude-opus-5-5',
            content: [
              { type: 'thinking', thinking: about, thinkingSignature: 'c2lnbmVk' },
              { type: 'text', text: about },
            ],
          },
        }) as unknown as EntryDraft;
      const turn = [user('ask'), call('c1'), result('c1', 'y'.repeat(5000)), think('before')];
      await transcripts.append(REF, turn);
      const before = await read(transcripts);
      expect((await transcripts.clean(REF, { preset: 'extreme' })).changed).toBe(true);
      await transcripts.append(REF, [user('go on'), think('since')]);
      const cleaned = await read(transcripts);
      const done = await transcripts.restore(REF);
      expect(done).toEqual({ restored: true, linesKept: 2, thinkingUnbound: 1 });
      const restored = await read(transcripts);
      expect(restored.slice(0, before.length)).toEqual(before);
      expect(JSON.stringify(restored.slice(before.length))).not.toContain('thinking');
      expect((await transcripts.restore(REF)).restored).toBe(true);
      expect(await read(transcripts)).toEqual(cleaned);
    });

    test('tells of every append of this process', async () => {
      const transcripts = open();
      const seen: TranscriptUpdate[] = [];
      const end = transcripts.onUpdate((update) => seen.push(update));
      const first = await transcripts.append(REF, [user('a')]);
      const second = await transcripts.append(REF, [user('b')]);
      expect(seen).toEqual([
        { ...REF, entries: first },
        { ...REF, entries: second },
      ]);
      end();
      await transcripts.append(REF, [user('c')]);
      expect(seen).toHaveLength(2);
    });
  });
}
