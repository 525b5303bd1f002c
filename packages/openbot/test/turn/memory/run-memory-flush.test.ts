import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import {
  DEFAULT_MEMORY_FLUSH_PROMPT,
  DEFAULT_MEMORY_FLUSH_SYSTEM_PROMPT,
} from '../../../src/turn/memory/run-memory-flush.ts';
import { answer, FlushBench, KEY, message, NOW, SETTINGS, say } from './flush-bench.ts';

const FULL = { totalTokens: 91_000, totalTokensFresh: true };
const openFull = () => new FlushBench(FULL).open();

test('the prompts, letter for letter', () => {
  expect(DEFAULT_MEMORY_FLUSH_PROMPT).toBe(
    'Pre-compaction memory flush. Store durable memories now (use memory/YYYY-MM-DD.md; create memory/ if needed). If nothing to store, reply with NO_REPLY.',
  );
  expect(DEFAULT_MEMORY_FLUSH_SYSTEM_PROMPT).toBe(
    'Pre-compaction memory flush turn. The session is near auto-compaction; capture durable memories to disk. You may reply, but usually NO_REPLY is correct.',
  );
});

describe('when', () => {
  test('from 91,000 tokens on with a window of 100,000, a reserve of 5,000 and a threshold of 4,000', async () => {
    const below = await new FlushBench({ totalTokens: 90_999 }).open();
    expect(await below.flush()).toMatchObject({ flush: 'not-due' });
    expect(below.asked).toEqual([]);
    const at = await openFull();
    expect(await at.flush()).toMatchObject({ flush: 'done' });
  });

  test('once for each compaction cycle', async () => {
    const bench = await openFull();
    await bench.flush();
    expect(await bench.entry()).toMatchObject({ memoryFlushAt: NOW, memoryFlushCompactionCount: 0 });
    expect(await bench.flush()).toMatchObject({ flush: 'not-due' });
    await bench.store.update(KEY, (entry) => ({ ...entry!, compactionCount: 1 }));
    expect(await bench.flush()).toMatchObject({ flush: 'done' });
    expect(bench.asked).toHaveLength(2);
  });

  test.each([
    ['switched off', { memoryFlush: { enabled: false } }, {}, false],
    ['a group', {}, { isGroup: true }, true],
    ['a group, switched off', { memoryFlush: { inGroups: false } }, { isGroup: true }, false],
    ['a direct chat, switched off in groups', { memoryFlush: { inGroups: false } }, {}, true],
    ['read-only', {}, { isReadOnly: true }, false],
    ['read-only, switched on', { memoryFlush: { inReadOnly: true } }, { isReadOnly: true }, true],
    ['a window of unknown size', {}, { contextWindow: undefined }, false],
  ])('%s', async (_, compaction, request, isDue) => {
    const bench = await openFull();
    const config = { agents: { defaults: { compaction: { ...SETTINGS, ...compaction } } } };
    await bench.flush({ config, ...request });
    expect(bench.asked).toHaveLength(isDue ? 1 : 0);
  });
});

describe('what the agent is asked', () => {
  test.each([
    ['Europe/Berlin', Date.UTC(2026, 10, 16, 23, 30), '2026-11-17', '00:30:00 GMT+1'],
    ['America/Los_Angeles', Date.UTC(2026, 10, 16, 23, 30), '2026-11-16', '15:30:00 PST'],
    // In summer Berlin is two hours ahead of UTC, in winter one.
    ['Europe/Berlin', Date.UTC(2026, 6, 1, 22, 30), '2026-07-02', '00:30:00 GMT+2'],
    ['Europe/Berlin', Date.UTC(2026, 11, 1, 22, 30), '2026-12-01', '23:30:00 GMT+1'],
    // The hour that is skipped in New York: 2026-03-08, 2 am.
    ['America/New_York', Date.UTC(2026, 2, 8, 4, 59), '2026-03-07', '23:59:00 EST'],
    ['America/New_York', Date.UTC(2026, 2, 8, 5), '2026-03-08', '00:00:00 EST'],
    ['America/New_York', Date.UTC(2026, 2, 9, 4), '2026-03-09', '00:00:00 EDT'],
    [undefined, Date.UTC(2026, 10, 16, 23, 30), '2026-11-16', '23:30:00 UTC'],
    ['No/Where', Date.UTC(2026, 10, 16, 23, 30), '2026-11-16', '23:30:00 UTC'],
  ])('the day is that of the agent: %s at %d', async (timeZone, now, date, time) => {
    const bench = await openFull();
    await bench.flush({ timeZone, now: () => now });
    expect(bench.asked).toEqual([
      `System: [${date} ${time}] ${DEFAULT_MEMORY_FLUSH_SYSTEM_PROMPT}
System: Pre-compaction memory flush. Store durable memories now (use memory/${date}.md; create memory/ if needed). If nothing to store, reply with NO_REPLY.`,
    ]);
  });

  test('configured words are used instead', async () => {
    const bench = await openFull();
    const memoryFlush = {
      prompt: 'Save to YYYY-MM-DD.txt',
      systemPrompt: 'Hurry.\r\n\nIt is late.\u2028Go.',
    };
    await bench.flush({ config: { agents: { defaults: { compaction: { ...SETTINGS, memoryFlush } } } } });
    // No line of it is a person's.
    expect(bench.asked[0]?.split('\n')).toEqual([
      'System: [2026-11-16 23:30:00 UTC] Hurry.',
      'System: ',
      'System: It is late.',
      'System: Go.',
      'System: Save to 2026-11-16.txt',
    ]);
  });

  test('its lines are in the transcript before the run, with a mark that is no turn, and pi opens it', async () => {
    const bench = await openFull();
    bench.script = async ({ prompt }) => {
      expect(bench.lines().slice(-2)).toMatchObject([
        { type: 'custom', customType: 'openbot.memory-flush', data: { compactionCount: 0, attempt: 1 } },
        { type: 'message', message: { role: 'user', content: prompt } },
      ]);
      await bench.append([answer('NO_REPLY')]);
      return say('NO_REPLY');
    };
    await bench.flush();
    expect(JSON.stringify(bench.lines())).not.toContain('openbot.turn');
    const roles = SessionManager.open(bench.path)
      .buildSessionContext()
      .messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant']);
  });
});

describe('what comes of it', () => {
  test.each([
    ['NO_REPLY', undefined],
    ['**NO_REPLY**', undefined],
    ['', undefined],
    ['  ', undefined],
    ['Saved your preferences.', 'Saved your preferences.'],
    ['Saved.\nNO_REPLY', 'Saved.'],
  ])('%j is a reply: %j', async (text, reply) => {
    const bench = await openFull();
    bench.script = () => say(text);
    const result = await bench.flush();
    expect(result.flush).toBe('done');
    expect('reply' in result ? result.reply : undefined).toBe(reply);
  });

  test('a run that compacts counts, and the next cycle has a flush of its own; all in one change', async () => {
    const bench = await new FlushBench({ ...FULL, compactionCount: 3 }).open();
    bench.script = () =>
      say('NO_REPLY', {
        usage: { input: 92_000, output: 5 },
        compactions: { count: 1, tokensAfter: 12_000, isNewerThanUsage: true },
      });
    bench.changes = 0;
    const { entry } = await bench.flush();
    expect(bench.changes).toBe(1);
    expect(entry).toEqual(await bench.entry());
    expect(entry).toMatchObject({ compactionCount: 4, memoryFlushCompactionCount: 3, totalTokens: 12_000 });
    expect(await bench.flush()).toMatchObject({ flush: 'not-due' });
    await bench.store.update(KEY, (known) => ({ ...known!, totalTokens: 95_000 }));
    expect(await bench.flush()).toMatchObject({ flush: 'done' });
  });

  test('a flush that fails is tried once more at the next turn, and does not stop a turn', async () => {
    const bench = await openFull();
    bench.script = async () => ({
      texts: [],
      outcome: {},
      end: { type: 'end', reason: 'error', error: 'overloaded', isTransient: true },
    });
    expect(await bench.flush()).toMatchObject({ flush: 'failed', error: 'overloaded' });
    expect(await bench.entry()).not.toHaveProperty('memoryFlushAt');
    await bench.append([message({ role: 'user', content: 'next' }), answer('ok')]);
    expect(await bench.flush()).toMatchObject({ flush: 'failed' });
    expect(await bench.entry()).toMatchObject({ memoryFlushCompactionCount: 0 });
    expect(await bench.flush()).toMatchObject({ flush: 'not-due' });
    expect(bench.asked).toHaveLength(2);
  });

  test.each([
    ['the run', { run: () => Promise.reject(new Error('broken')) }],
    ['the transcript', { append: () => Promise.reject(new Error('broken')) }],
    ['reading', { readContext: () => Promise.reject(new Error('broken')) }],
  ])('%s throws: the turn goes on', async (_, request) => {
    const bench = await openFull();
    expect(await bench.flush(request)).toEqual({
      flush: 'failed',
      entry: await bench.entry(),
      error: 'broken',
    });
  });

  test('a session that was reset meanwhile is not marked', async () => {
    const bench = await openFull();
    bench.script = async () => {
      await bench.store.update(KEY, () => ({ sessionId: 'next', updatedAt: 2 }));
      return say('NO_REPLY');
    };
    await bench.flush();
    expect(await bench.entry()).toEqual({ sessionId: 'next', updatedAt: 2 });
  });
});

describe('after a crash', () => {
  const crash = () => Promise.reject(new Error('killed'));

  test('of a flush that was asked for: it is asked again, and open calls have results', async () => {
    const bench = await openFull();
    await bench.flush({ run: crash });
    await bench.append([answer('Saving.', 'call-1')]);
    await bench.flush();
    expect(bench.lines().slice(-3)).toMatchObject([
      { message: { role: 'toolResult', toolCallId: 'call-1', toolName: 'write_file', isError: true } },
      { customType: 'openbot.memory-flush', data: { attempt: 2 } },
      { message: { role: 'user' } },
    ]);
    expect(await bench.entry()).toMatchObject({ memoryFlushCompactionCount: 0 });
  });

  test('of a flush that had an answer: it is not run again', async () => {
    const bench = await openFull();
    await bench.flush({ run: crash });
    await bench.append([answer('Saved it.')]);
    expect(await bench.flush()).toMatchObject({ flush: 'done', reply: 'Saved it.' });
    expect(bench.asked).toEqual([]);
    expect(await bench.flush()).toMatchObject({ flush: 'not-due' });
  });

  test('every time: the turn gets its way', async () => {
    const bench = await openFull();
    for (let n = 0; n < 2; n++) await bench.flush({ run: crash });
    await bench.append([answer('Saving.', 'call-1')]);
    expect(await bench.flush()).toMatchObject({ flush: 'failed', error: 'It was cut off 2 times' });
    expect(bench.lines().at(-1)).toMatchObject({ message: { role: 'toolResult', toolCallId: 'call-1' } });
    expect(await bench.flush()).toMatchObject({ flush: 'not-due' });
    expect(bench.messages().filter(({ role }) => role === 'user')).toHaveLength(3);
  });

  test('wherever it happens, a cycle has at most two tries and no call without a result', HUNT, async () => {
    const end = fc.constantFrom('crash', 'crash-in-call', 'crash-after-answer', 'error', 'answer');
    await fc.assert(
      fc.asyncProperty(fc.array(end, { minLength: 1, maxLength: 6 }), async (ends) => {
        const bench = await openFull();
        let runs = 0;
        for (const [n, how] of ends.entries()) {
          await bench.flush({
            run: async () => {
              runs++;
              if (how === 'crash-in-call') await bench.append([answer('x', `call-${n}`)]);
              if (how === 'crash-after-answer' || how === 'answer') await bench.append([answer('NO_REPLY')]);
              if (how.startsWith('crash')) throw new Error('killed');
              const reason =
                how === 'answer'
                  ? ({ type: 'end', reason: 'stop' } as const)
                  : ({ type: 'end', reason: 'error', error: 'x', isTransient: true } as const);
              return { texts: [], outcome: {}, end: reason };
            },
          });
          if (how === 'error') await bench.append([message({ role: 'user', content: 'next' }), answer('ok')]);
        }
        await bench.flush();
        expect(runs).toBeLessThanOrEqual(2);
        if (ends.includes('answer') && runs > 0)
          expect(await bench.flush()).toMatchObject({ flush: 'not-due' });
        const messages = bench.messages();
        for (const { content } of messages.filter(({ role }) => role === 'assistant')) {
          for (const { type, id } of content as { type: string; id?: string }[]) {
            if (type === 'toolCall') expect(messages.filter((one) => one.toolCallId === id)).toHaveLength(1);
          }
        }
      }),
      cases({ gate: 25, torture: 400 }),
    );
  });
});
