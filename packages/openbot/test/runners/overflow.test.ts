import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Runner } from '../../src/runners/contract.ts';
import { recoverFromOverflow } from '../../src/runners/recover-from-overflow.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { Script, ScriptTurn } from '../../src/runners/script/script.ts';
import { assertTranscriptHolds, collect, makeSession, saidIn, type TestSession, typesOf } from './session.ts';

const MODEL = { provider: 'script', model: 'test', contextWindow: 100_000 };
const window = (contextWindow: number) => ({ model: { ...MODEL, contextWindow } });

let session: TestSession;
beforeEach(async () => {
  session = await makeSession(MODEL);
});

const play = (...turns: ScriptTurn[]) => makeScriptRunner({ script: { turns } satisfies Script });
const withRecovery = (runner: Runner) => recoverFromOverflow(runner, session.transcripts);

/** Turns whose tokens are in results of tools, or in what was said. */
async function talk(turns: number, { inTools }: { inTools: boolean }): Promise<void> {
  writeFileSync(join(session.workspaceDir, 'large.txt'), 'large '.repeat(1000));
  const steps = inTools
    ? [{ tool: 'read_file', args: { path: 'large.txt' } }, { text: 'Read.' }]
    : [{ text: 'word '.repeat(1200) }];
  for (let turn = 0; turn < turns; turn++) {
    await collect(play({ steps }).start(await session.ask(`question ${turn}`)));
  }
}

describe('recoverFromOverflow', () => {
  it('cleans and goes on', async () => {
    await talk(24, { inTools: true });
    const request = await session.ask('and now?', window(30_000));
    const events = await collect(withRecovery(play({ steps: [{ text: 'Here.' }] })).start(request));
    expect(typesOf(events)[0]).toBe('cleaned');
    expect(saidIn(events)).toBe('Here.');
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
    expect(typesOf(events)).not.toContain('compaction');
    expect(session.messages().slice(-2)).toEqual(['user: and now?', 'assistant: Here.']);
    expect(session.messages()).toContain('user: question 0');
    await assertTranscriptHolds(session);
  });

  it('cleans harder when that was not enough', async () => {
    await talk(6, { inTools: true });
    const request = await session.ask('and now?', window(4000));
    const events = await collect(withRecovery(play({ steps: [{ text: 'Here.' }] })).start(request));
    expect(typesOf(events).slice(0, 2)).toEqual(['cleaned', 'cleaned']);
    expect(saidIn(events)).toBe('Here.');
  });

  it('compacts when there is nothing to clean', async () => {
    await talk(6, { inTools: false });
    const request = await session.ask('and now?', window(5000));
    const events = await collect(withRecovery(play({ steps: [{ text: 'Here.' }] })).start(request));
    expect(typesOf(events).slice(0, 2)).toEqual(['compaction', 'compaction']);
    expect(saidIn(events)).toBe('Here.');
    expect(session.messages()).toContain('user: question 0');
    await assertTranscriptHolds(session);
  });

  it('says what to do when nothing helps, and leaves the session as it is', async () => {
    const request = await session.ask('x'.repeat(40_000), window(5000));
    const lines = session.lines();
    const events = await collect(withRecovery(play({ steps: [{ text: 'never' }] })).start(request));
    expect(events).toEqual([
      {
        type: 'end',
        reason: 'overflow',
        error: expect.stringContaining('script/test'),
        hint: expect.stringContaining('/new'),
      },
    ]);
    expect(session.lines()).toEqual(lines);
  });

  it('tries each step once', async () => {
    await talk(3, { inTools: true });
    const strengths: unknown[] = [];
    const runner = recoverFromOverflow(play({ steps: [{ overflow: true }] }), {
      clean: async (_ref, strength) => {
        strengths.push(strength);
        return { changed: true, savedTokens: 1 };
      },
    });
    const events = await collect(runner.start(await session.ask('x')));
    expect(strengths).toEqual(['default', 'hard']);
    expect(typesOf(events)).toEqual(['cleaned', 'cleaned', 'compaction', 'compaction', 'end']);
  });

  it('compacts where the cleaner fails', async () => {
    await talk(6, { inTools: false });
    const runner = recoverFromOverflow(play({ steps: [{ text: 'Here.' }] }), {
      clean: () => Promise.reject(new Error('in use')),
    });
    const events = await collect(runner.start(await session.ask('and now?', window(5000))));
    expect(saidIn(events)).toBe('Here.');
  });

  it('goes on in the middle of a run, when the results of tools were too much', async () => {
    await talk(3, { inTools: true });
    const request = await session.ask('read it', window(6000));
    const steps = [{ tool: 'read_file', args: { path: 'large.txt' } }, { text: 'never' }];
    const events = await collect(
      withRecovery(play({ steps }, { steps: [{ text: 'Read.' }] })).start(request),
    );
    expect(typesOf(events)).toContain('cleaned');
    expect(saidIn(events)).toBe('Read.');
    await assertTranscriptHolds(session);
  });

  it('passes other ends on', async () => {
    const events = await collect(
      withRecovery(play({ steps: [{ fail: 'down' }] })).start(await session.ask('x')),
    );
    expect(events).toEqual([{ type: 'end', reason: 'error', error: 'down', isTransient: false }]);
  });
});

describe('a scripted model whose window is nearly full', () => {
  it('compacts after its answer', async () => {
    await talk(5, { inTools: false });
    const request = await session.ask('and now?', window(8200));
    const events = await collect(play({ steps: [{ text: 'Here.' }] }).start(request));
    expect(typesOf(events).slice(-3)).toEqual(['compaction', 'compaction', 'end']);
    const end = events.at(-2)!;
    expect(end).toMatchObject({ phase: 'end', willRetry: false });
    await assertTranscriptHolds(session);
    const context = JSON.stringify(await session.readContext());
    expect(context).toContain('Here.');
    expect(context).toContain('and now?');
  });

  it('reports a compaction that is tried again', async () => {
    await talk(2, { inTools: false });
    const request = await session.ask('and now?');
    const events = await collect(
      play({ steps: [{ compact: true, failsFirst: true }, { text: 'Here.' }] }).start(request),
    );
    const ends = events.flatMap((event) =>
      event.type === 'compaction' && event.phase === 'end' ? [event.willRetry] : [],
    );
    expect(ends).toEqual([true, false]);
    expect(saidIn(events)).toBe('Here.');
    expect(session.lines().filter(({ type }) => type === 'compaction')).toHaveLength(1);
  });

  it('compacts again, with the summary before as a part', async () => {
    await talk(4, { inTools: false });
    const runner = play({ steps: [{ text: 'word '.repeat(1200) }] });
    await collect(runner.compact(await session.ask('one')));
    await collect(runner.start(await session.ask('two')));
    await collect(runner.compact(await session.ask('three')));
    const [first] = await session.readContext();
    expect(first!.message).toMatchObject({
      role: 'compactionSummary',
      summary: expect.stringContaining('Before:'),
    });
    await assertTranscriptHolds(session);
  });
});
