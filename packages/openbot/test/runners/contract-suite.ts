import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { abortReason } from '../../src/runners/abort.ts';
import type { ModelChoice, RunEvent, Runner, RunRequest } from '../../src/runners/contract.ts';
import type { Script } from '../../src/runners/script/script.ts';
import { makePng } from '../media/files.ts';
import { assertTranscriptHolds, collect, makeSession, saidIn, type TestSession, typesOf } from './session.ts';

/** A driver, and a way to decide what its model says: for a real one a server that imitates its provider. */
export interface RunnerUnderTest {
  readonly model: ModelChoice;
  /** Of the tests that try every moment of a run, each so many-th is tried: for a runner that takes long to start. 1. */
  readonly everyMoment?: number;
  /** Some of the tests are left out: a runner that starts a program for each run takes long. */
  readonly isSampled?: boolean;
  open(script: Script): Promise<Runner> | Runner;
}

const MARK = { type: 'custom', customType: 'openbot.turn', data: { turnId: 't2' } } as const;

/** What every runner promises to the turn. */
export function testRunner(
  name: string,
  { model, open, everyMoment = 1, isSampled = false }: RunnerUnderTest,
): void {
  const rest = { skip: isSampled };
  describe(`the runner contract: ${name}`, () => {
    let session: TestSession;
    beforeEach(async () => {
      session = await makeSession(model);
    });
    const use = (...turns: Script['turns']): Promise<Runner> | Runner =>
      open({ contextWindow: model.contextWindow, turns });
    const run = async (
      request: RunRequest,
      steps: Script['turns'][number]['steps'],
      onEvent?: (e: RunEvent) => unknown,
    ) => collect((await use({ steps })).start(request), onEvent);

    it('knows its models, and no others', async () => {
      const runner = await use({ steps: [{ text: 'x' }] });
      expect(runner.describeModel(model.provider, model.model)).toMatchObject(model);
      expect(runner.describeModel('no-such-provider', model.model)).toBeUndefined();
    });

    it('streams an answer and ends', async () => {
      const request = await session.ask('hello');
      const events = await run(request, [{ text: 'Hello to you, too.' }]);
      expect(saidIn(events)).toBe('Hello to you, too.');
      expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
      expect(events).toContainEqual({ type: 'message-end', text: 'Hello to you, too.' });
      expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
      expect(typesOf(events).filter((type) => type === 'end')).toHaveLength(1);
      expect(session.messages()).toEqual(['user: hello', 'assistant: Hello to you, too.']);
      await assertTranscriptHolds(session);
    });

    it('has a message in the transcript before its message-end', rest, async () => {
      const request = await session.ask('hello');
      await run(request, [{ text: 'One.' }, { tool: 'list_files' }, { text: 'Two.' }], (event) => {
        if (event.type === 'message-end') expect(session.messages().at(-1)).toContain(event.text);
      });
    });

    it('says how full the context is, more after more was said', rest, async () => {
      const request = await session.ask('x'.repeat(4000));
      const steps = [{ tool: 'read_file', args: { path: 'a.txt' } }, { text: 'Read.' }];
      writeFileSync(join(session.workspaceDir, 'a.txt'), 'y'.repeat(4000));
      const figures = (await run(request, steps)).flatMap((event) =>
        event.type === 'usage' ? [event.usage] : [],
      );
      expect(figures).toHaveLength(2);
      const [first, second] = figures.map(
        ({ input = 0, cacheRead = 0, cacheWrite = 0 }) => input + cacheRead + cacheWrite,
      );
      expect(first).toBeGreaterThan(500);
      expect(second).toBeGreaterThan(first! + 500);
    });

    it('passes thinking on apart from the text', rest, async () => {
      const request = await session.ask('think');
      const events = await run(request, [{ thinking: 'Hm.' }, { text: 'So.' }]);
      const thought = events.map((event) => (event.type === 'thinking' ? event.delta : '')).join('');
      expect(thought).toBe('Hm.');
      expect(saidIn(events)).toBe('So.');
      await assertTranscriptHolds(session);
    });

    it('writes a call before its tool runs, and the result before it says so', async () => {
      const request = await session.ask('write');
      const steps = [{ tool: 'write_file', args: { path: 'a.txt', content: 'A' } }, { text: 'Written.' }];
      const path = join(session.workspaceDir, 'a.txt');
      let sawCall = false;
      const append: RunRequest['append'] = async (drafts) => {
        if (JSON.stringify(drafts).includes('"toolCall"')) {
          expect(existsSync(path)).toBe(false);
          sawCall = true;
        }
        return session.append(drafts);
      };
      const events = await run({ ...request, append }, steps, (event) => {
        if (event.type === 'tool-call') expect(session.messages().at(-1)).toContain('[write_file]');
        if (event.type === 'tool-result') expect(session.messages().at(-1)).toMatch(/^toolResult: /);
      });
      expect(sawCall).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe('A');
      const call = events.find((event) => event.type === 'tool-call');
      expect(call).toMatchObject({ name: 'write_file', arguments: { path: 'a.txt', content: 'A' } });
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'tool-result', id: call!.id, name: 'write_file', isError: false }),
      );
      await assertTranscriptHolds(session);
    });

    it('answers several calls of one message', rest, async () => {
      const request = await session.ask('look');
      const events = await run(request, [
        { tools: [{ tool: 'list_files' }, { tool: 'list_files' }] },
        { text: 'ok' },
      ]);
      expect(typesOf(events).filter((type) => type === 'tool-result')).toHaveLength(2);
      await assertTranscriptHolds(session);
    });

    it('makes a failed tool a result, and goes on', rest, async () => {
      const request = await session.ask('read');
      const events = await run(request, [{ tool: 'read_file', args: { path: 'none' } }, { text: 'A pity.' }]);
      expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', isError: true }));
      expect(events.at(-1)).toMatchObject({ reason: 'stop' });
    });

    it('keeps tools in the workspace', rest, async () => {
      writeFileSync(join(session.stateDir, 'secret'), 'SECRET');
      symlinkSync(session.stateDir, join(session.workspaceDir, 'out'));
      const request = await session.ask('read');
      const calls = [
        { tool: 'read_file', args: { path: '../secret' } },
        { tool: 'read_file', args: { path: join(session.stateDir, 'secret') } },
        { tool: 'read_file', args: { path: 'out/secret' } },
        { tool: 'write_file', args: { path: 'out/new', content: 'x' } },
        { tool: 'write_file', args: { path: '../new', content: 'x' } },
      ];
      const events = await run(request, [...calls, { text: 'no' }]);
      const results = events.flatMap((event) => (event.type === 'tool-result' ? [event] : []));
      expect(results.map(({ isError }) => isError)).toEqual(calls.map(() => true));
      expect(JSON.stringify(session.lines())).not.toContain('SECRET');
      expect(existsSync(join(session.stateDir, 'new'))).toBe(false);
    });

    it('refuses a tool that the request does not name', rest, async () => {
      const request = await session.ask('write', { tools: session.toolsNamed('list_files', 'read_file') });
      const events = await run(request, [
        { tool: 'write_file', args: { path: 'a', content: 'x' } },
        { text: 'no' },
      ]);
      expect(existsSync(join(session.workspaceDir, 'a'))).toBe(false);
      expect(events.at(-1)).toMatchObject({ reason: 'stop' });
      await assertTranscriptHolds(session);
    });

    it.each([true, false])(
      'makes a failure of the model an event (transient: %s)',
      rest,
      async (transient) => {
        const request = await session.ask('hello');
        const events = await run(request, [{ text: 'I was about' }, { fail: 'overloaded', transient }]);
        expect(events.at(-1)).toMatchObject({
          type: 'end',
          reason: 'error',
          error: expect.stringContaining('overloaded'),
          isTransient: transient,
        });
        await assertTranscriptHolds(session);
      },
    );

    it('makes a transcript that cannot be written an event', async () => {
      const request = await session.ask('hello', { append: () => Promise.reject(new Error('lock lost')) });
      const events = await run(request, [{ text: 'Hello.' }]);
      expect(events.at(-1)).toMatchObject({ reason: 'error', error: expect.stringContaining('lock lost') });
      expect(typesOf(events)).not.toContain('message-end');
    });

    describe('an abort', () => {
      const abortAt = async (steps: Script['turns'][number]['steps'], at: (event: RunEvent) => boolean) => {
        const controller = new AbortController();
        const request = await session.ask('hello', { signal: controller.signal });
        const events = await run(request, steps, (event) => {
          if (at(event)) controller.abort(abortReason('person'));
        });
        await assertTranscriptHolds(session);
        return events;
      };

      it('before the run', async () => {
        const request = await session.ask('hello', { signal: AbortSignal.abort() });
        const events = await run(request, [{ text: 'Hello.' }]);
        expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
        expect(session.messages()).toEqual(['user: hello']);
      });

      it('while it speaks: what was said stays', rest, async () => {
        const events = await abortAt([{ text: 'One two' }, { stall: true }], ({ type }) => type === 'text');
        expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
        const last = session.lines().findLast(({ message }) => message !== undefined)!.message!;
        expect(last).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
        expect(session.messages().at(-1)).toMatch(/^assistant: One/);
      });

      it('while the model is silent', rest, async () => {
        const controller = new AbortController();
        const request = await session.ask('hello', { signal: controller.signal });
        const collecting = run(request, [{ stall: true }]);
        setTimeout(() => controller.abort(), 20);
        expect((await collecting).at(-1)).toMatchObject({ reason: 'aborted' });
      });

      it('at a call: it has a result', rest, async () => {
        const steps = [
          { tools: [{ tool: 'list_files' }, { tool: 'write_file', args: { path: 'a', content: 'x' } }] },
        ];
        const events = await abortAt(steps, ({ type }) => type === 'tool-call');
        expect(events.at(-1)).toMatchObject({ reason: 'aborted' });
        const results = session.lines().filter(({ message }) => message?.role === 'toolResult');
        expect(results).toHaveLength(2);
        expect(results.at(-1)!.message).toMatchObject({ isError: true });
        expect(existsSync(join(session.workspaceDir, 'a'))).toBe(false);
      });

      it('at any event: the run ends, and the transcript holds', async () => {
        for (let moment = 0; moment < 14; moment += everyMoment) {
          session = await makeSession(model);
          let seen = 0;
          const calls = { tools: [{ tool: 'list_files' }, { tool: 'list_files' }] };
          const steps = [{ thinking: 'Hm.' }, { text: 'I look.' }, calls, { text: 'So it is.' }];
          const events = await abortAt(steps, () => seen++ === moment);
          // At its last events a run may be over already.
          expect(events.at(-1)).toMatchObject({
            type: 'end',
            reason: expect.stringMatching(/^(?:aborted|stop)$/),
          });
          if (moment < 4) expect(events.at(-1)).toMatchObject({ reason: 'aborted' });
        }
      });

      it('between a result and the answer', rest, async () => {
        const steps = [{ tool: 'list_files' }, { text: 'never' }];
        const events = await abortAt(steps, ({ type }) => type === 'tool-result');
        expect(events.at(-1)).toMatchObject({ reason: 'aborted' });
        expect(saidIn(events)).toBe('');
      });
    });

    describe('steer', () => {
      const IMAGE = { data: makePng().toString('base64'), mimeType: 'image/png' };
      const message = (messageId: string, text: string) => ({ messageId, text, mark: MARK });
      const at = (type: RunEvent['type'], act: () => void) => {
        let isDone = false;
        return (event: RunEvent) => {
          if (isDone || event.type !== type) return;
          isDone = true;
          act();
        };
      };

      it.each(isSampled ? (['message-end'] as const) : (['tool-call', 'message-end'] as const))(
        'a message that comes at a %s is read',
        async (type) => {
          const request = await session.ask('look');
          const runner = await use(
            { when: 'blue', steps: [{ text: 'Blue.' }] },
            { steps: [{ tool: 'list_files' }, { text: 'Looked.' }] },
          );
          const run = runner.start(request);
          const events = await collect(
            run,
            at(type, () =>
              expect(run.steer({ ...message('m2', 'make it blue'), images: [IMAGE] })).toBe(true),
            ),
          );
          expect(events).toContainEqual({ type: 'steered', messageId: 'm2' });
          expect(saidIn(events)).toContain('Blue.');
          const lines = session.lines();
          const mark = lines.findIndex(({ customType }) => customType === 'openbot.turn');
          expect(lines[mark + 1]!.message).toMatchObject({
            role: 'user',
            content: [
              { type: 'text', text: 'make it blue' },
              { type: 'image', ...IMAGE },
            ],
          });
          await assertTranscriptHolds(session);
        },
      );

      it('is in the transcript before the event', rest, async () => {
        const request = await session.ask('look');
        const run = (await use({ steps: [{ text: 'So.' }] })).start(request);
        let isGiven = false;
        await collect(run, ({ type }) => {
          if (type === 'text' && !isGiven) isGiven = run.steer(message('m2', 'and this'));
          if (type === 'steered') expect(session.messages().at(-1)).toBe('user: and this');
        });
        expect(isGiven).toBe(true);
      });

      it('takes a message and reads it, or does not take it, at any moment', async () => {
        for (let moment = 0; moment < 12; moment += everyMoment) {
          session = await makeSession(model);
          const run = (await use({ steps: [{ tool: 'list_files' }, { text: 'So it is.' }] })).start(
            await session.ask('look'),
          );
          let isTaken = false;
          let seen = 0;
          const events = await collect(run, () => {
            if (seen++ === moment) isTaken = run.steer(message('m2', 'and this'));
          });
          expect({ moment, isRead: typesOf(events).includes('steered') }).toEqual({
            moment,
            isRead: isTaken,
          });
          expect(session.messages().includes('user: and this')).toBe(isTaken);
          expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
          expect(run.steer(message('m3', 'too late'))).toBe(false);
        }
      });

      it('is refused after an abort', rest, async () => {
        const controller = new AbortController();
        const request = await session.ask('look', { signal: controller.signal });
        const run = (await use({ steps: [{ text: 'One two three' }] })).start(request);
        await collect(run, ({ type }) => {
          if (type !== 'text') return;
          controller.abort();
          expect(run.steer(message('m2', 'wait'))).toBe(false);
        });
        expect(session.messages()).not.toContain('user: wait');
      });
    });

    describe('compaction', () => {
      const talk = async (turns: number) => {
        for (let turn = 0; turn < turns; turn++) {
          const request = await session.ask(`question ${turn} ${'q'.repeat(400)}`);
          await run(request, [{ tool: 'list_files' }, { text: `answer ${turn} ${'a'.repeat(400)}` }]);
        }
      };

      it('replaces old messages by a summary and keeps the last ones', async () => {
        await talk(isSampled ? 3 : 6);
        const before = await session.readContext();
        const request = await session.ask('and now?');
        const runner = await use({ steps: [{ text: 'x' }] });
        const events = await collect(runner.compact(request));
        const after = await session.readContext();
        expect(after.length).toBeLessThan(before.length);
        expect(JSON.stringify(after.at(-1)!.message)).toContain('and now?');
        expect(session.lines().findLast(({ type }) => type !== 'custom')).toMatchObject({
          type: 'compaction',
          summary: expect.stringMatching(/\S/),
        });
        expect(events[0]).toEqual({ type: 'compaction', phase: 'start' });
        expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
        expect(events).toContainEqual(
          expect.objectContaining({
            type: 'compaction',
            phase: 'end',
            willRetry: false,
            tokensAfter: expect.any(Number),
          }),
        );
        await assertTranscriptHolds(session);
      });

      it('can be asked for between two turns, and the conversation goes on', rest, async () => {
        await talk(4);
        const answered = await session.ask('the last question');
        await run(answered, [{ text: 'the last answer' }]);
        const before = await session.readContext();
        const runner = await use({ steps: [{ text: 'x' }] });
        const request = { ...answered, prompt: '', instructions: 'keep the names' };
        const events = await collect(runner.compact(request));
        expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
        expect((await session.readContext()).length).toBeLessThan(before.length);
        await run(await session.ask('go on'), [{ text: 'gladly' }]);
        expect(session.messages().slice(-2)).toEqual(['user: go on', 'assistant: gladly']);
        await assertTranscriptHolds(session);
      });

      it('fails by an event, and changes nothing', rest, async () => {
        const request = await session.ask('first words');
        const lines = session.lines();
        const events = await collect((await use({ steps: [{ text: 'x' }] })).compact(request));
        expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'error' });
        expect(session.lines()).toEqual(lines);
      });

      it('can be aborted', rest, async () => {
        await talk(3);
        const request = await session.ask('x', { signal: AbortSignal.abort() });
        const lines = session.lines();
        const events = await collect((await use({ steps: [{ text: 'x' }] })).compact(request));
        expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
        expect(session.lines()).toEqual(lines);
      });
    });

    it('says that a conversation does not fit', async () => {
      const small = { ...model, contextWindow: 1000 };
      const request = await session.ask('x'.repeat(8000), { model: small });
      const events = await run(request, [{ overflow: true }]);
      expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'overflow', error: expect.any(String) });
      await assertTranscriptHolds(session);
    });
  });
}
