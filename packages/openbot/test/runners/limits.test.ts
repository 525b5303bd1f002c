import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { beforeEach, describe, expect, it } from 'vitest';
import { abortCauseOf, abortReason } from '../../src/runners/abort.ts';
import type { AbortCause, Run, RunEvent, Runner, RunRequest } from '../../src/runners/contract.ts';
import { runWithLimits } from '../../src/runners/run-with-limits.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { ScriptStep } from '../../src/runners/script/script.ts';
import { assertTranscriptHolds, collect, makeSession, saidIn, type TestSession } from './session.ts';

const MODEL = { provider: 'script', model: 'test', contextWindow: 100_000 };

let session: TestSession;
beforeEach(async () => {
  session = await makeSession(MODEL);
});

const scripted = (...steps: ScriptStep[]) => makeScriptRunner({ script: { turns: [{ steps }] } });

/** A runner that does not keep the contract. */
function makeRunner(
  events: (request: RunRequest) => AsyncIterable<RunEvent>,
  steer: Run['steer'] = () => false,
): Runner {
  const start = (request: RunRequest): Run => ({ events: events(request), steer });
  return { name: 'bad', describeModel: () => MODEL, start, compact: start };
}

const call = (id: string) =>
  ({
    type: 'message',
    message: {
      role: 'assistant',
      content: [{ type: 'toolCall', id, name: 'list_files', arguments: {} }],
      api: 'a',
      provider: 'p',
      model: 'm',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
      stopReason: 'toolUse',
      timestamp: 1,
    },
  }) as const;

describe('runWithLimits', () => {
  it('passes the events of a good runner on', async () => {
    const events = await collect(runWithLimits(scripted({ text: 'Fine.' }), await session.ask('hello')));
    expect(saidIn(events)).toBe('Fine.');
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
  });

  it('aborts a run that takes too long, says so, and keeps what was said', async () => {
    // On a busy machine the time can be over before the model speaks: then it gets more.
    for (let timeoutMs = 20, hasSpoken = false; !hasSpoken; timeoutMs *= 4) {
      session = await makeSession(MODEL);
      const runner = scripted({ text: 'Well,' }, { stall: true });
      const events = await collect(runWithLimits(runner, await session.ask('hello'), { timeoutMs }));
      expect(events.at(-1)).toEqual({ type: 'end', reason: 'aborted', cause: 'timeout' });
      hasSpoken = events.some(({ type }) => type === 'text');
    }
    expect(session.messages().at(-1)).toBe('assistant: Well,');
  });

  it.each(['person', 'interrupt', 'shutdown'] as const)('tells the cause of an abort: %s', async (cause) => {
    const controller = new AbortController();
    const request = await session.ask('hello', { signal: controller.signal });
    const run = runWithLimits(scripted({ text: 'Well,' }, { stall: true }), request);
    const events = await collect(run, ({ type }) => {
      if (type === 'text') controller.abort(abortReason(cause));
    });
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'aborted', cause });
  });

  it('does not wait for a runner that ignores an abort, and refuses what it writes later', async () => {
    const later = Promise.withResolvers<void>();
    const lateWrite = Promise.withResolvers<unknown>();
    const runner = makeRunner(async function* ({ append }) {
      await append([call('c1')]);
      yield { type: 'text', delta: 'x' };
      await later.promise;
      lateWrite.resolve(append([call('c2')]).catch((error) => error));
      yield { type: 'end', reason: 'stop' };
    });
    const run = runWithLimits(runner, await session.ask('hello'), { timeoutMs: 20, graceMs: 20 });
    const events = await collect(run);
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'aborted', cause: 'timeout' });
    await assertTranscriptHolds(session);
    const lines = session.lines();
    later.resolve();
    expect(await lateWrite.promise).toMatchObject({ code: 'RUN_OVER' });
    expect(session.lines()).toEqual(lines);
  });

  it('waits for a write that had begun', async () => {
    const request = await session.ask('hello');
    const slow: RunRequest['append'] = async (drafts) => {
      await sleep(60);
      return session.append(drafts);
    };
    const runner = makeRunner(async function* ({ append }) {
      void append([call('c1')]);
      yield { type: 'end', reason: 'stop' };
    });
    await collect(runWithLimits(runner, { ...request, append: slow }));
    await assertTranscriptHolds(session);
    expect(session.messages().at(-1)).toBe('toolResult: The run ended before this call had a result.');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      /broken/,
    ],
    [
      'throws at its first event',
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }) }),
      /broken/,
    ],
    [
      'stops without an end',
      async function* (): AsyncGenerator<RunEvent> {
        yield { type: 'text', delta: 'x' };
      },
      /without a result/,
    ],
  ])('makes an event of a runner that %s', async (_what, start, message) => {
    const events = await collect(runWithLimits(makeRunner(start as never), await session.ask('hello')));
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      reason: 'error',
      error: expect.stringMatching(message),
      isTransient: false,
    });
  });

  it('answers the calls that a runner left open', async () => {
    const runner = makeRunner(async function* ({ append }) {
      await append([call('c1')]);
      yield { type: 'end', reason: 'stop' };
    });
    await collect(runWithLimits(runner, await session.ask('hello')));
    await assertTranscriptHolds(session);
  });

  it('drops what comes after the end', async () => {
    const runner = makeRunner(async function* () {
      yield { type: 'end', reason: 'stop' };
      yield { type: 'text', delta: 'late' };
    });
    const events = await collect(runWithLimits(runner, await session.ask('hello')));
    expect(events).toEqual([{ type: 'end', reason: 'stop' }]);
  });

  it('aborts a run whose events are no longer read', async () => {
    let signal: AbortSignal | undefined;
    const runner = makeRunner(async function* (request) {
      signal = request.signal;
      yield { type: 'text', delta: 'x' };
      yield { type: 'end', reason: 'stop' };
    });
    for await (const _event of runWithLimits(runner, await session.ask('hello')).events) break;
    expect(signal?.aborted).toBe(true);
  });

  it('passes messages on, until the run is over', async () => {
    const given: string[] = [];
    const steer: Run['steer'] = ({ messageId }) => given.push(messageId) > 0;
    const runner = makeRunner(async function* () {
      yield { type: 'text', delta: 'x' };
      yield { type: 'end', reason: 'stop' };
    }, steer);
    const run = runWithLimits(runner, await session.ask('hello'));
    const message = (messageId: string) => ({
      messageId,
      text: '',
      mark: { type: 'custom', customType: 'm' } as const,
    });
    expect(run.steer(message('early'))).toBe(false);
    await collect(run, ({ type }) => {
      if (type === 'text') expect(run.steer(message('now'))).toBe(true);
    });
    expect(run.steer(message('late'))).toBe(false);
    expect(given).toEqual(['now']);
  });

  it('compacts under the same limits', async () => {
    const request = await session.ask('hello');
    const events = await collect(runWithLimits(scripted({ text: 'x' }), request, { compacts: true }));
    expect(events.at(-1)).toMatchObject({
      reason: 'error',
      error: 'The conversation is too short to be compacted',
    });
  });
});

describe('abortCauseOf', () => {
  it('takes other reasons for a person', () => {
    const causes: AbortCause[] = [
      abortCauseOf(AbortSignal.abort()),
      abortCauseOf(AbortSignal.abort('x')),
      abortCauseOf(AbortSignal.abort(abortReason('timeout'))),
      abortCauseOf(AbortSignal.abort(new DOMException('', 'TimeoutError'))),
      abortCauseOf(AbortSignal.abort(new OpenBotError('RUN_LOCK_LOST', 'taken over'))),
    ];
    expect(causes).toEqual(['person', 'person', 'timeout', 'timeout', 'shutdown']);
  });
});
