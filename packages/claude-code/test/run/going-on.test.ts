/** Which session a run goes on in, with the real Claude Code. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findClaudeBinary, runClaude } from '../../../../test/imitations/claude-binary.ts';
import { call } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { discoverSessions } from '../../src/discover/discover-sessions.ts';
import { lockSession } from '../../src/queue/run-locks.ts';
import { answer, hold, holds, Workbench } from './run-workbench.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;
const program = 'path' in binary ? binary.path : '';

describe.skipIf(missing !== undefined)(`a run of the real Claude Code goes on ${missing ?? ''}`, () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(() => bench?.close());
  beforeEach(() => bench.api.setReplies(() => answer('Done.')));

  test(
    'in no session that is at work in a folder below, and in none that another state folder has',
    LONG,
    async () => {
      const outer = bench.makeRepo('outer');
      const inner = bench.makeRepo(join('outer', 'inner'));
      const held = hold(answer('late'));
      bench.api.setReplies((request) => (holds(request, 'slowly') ? held.reply : answer('Done.')));
      const below = bench.start('Paint the shed slowly', { repoPath: inner });
      const { sessionId } = await below.next('started');

      const above = bench.start('Paint the shed', { repoPath: outer, session: undefined });
      const outcome = await above.run.outcome;
      expect(outcome).toMatchObject({ result: 'success' });
      expect(outcome.sessionId).not.toBe(sessionId);

      const stateDir = join(bench.home.root, 'another-state');
      const session = { action: 'resume', sessionId } as const;
      const other = bench.start('Go on', { repoPath: outer, stateDir, session });
      await expect(other.run.outcome).rejects.toMatchObject({ code: 'SESSION_BUSY' });
      const seen = await discoverSessions(inner, { stateDir, env: bench.home.env });
      expect(seen).toMatchObject([{ sessionId, isRunning: true }]);
      held.letGo();
      expect(await below.run.outcome).toMatchObject({ result: 'success' });
    },
  );

  test('by a decision to wait, which is made anew when the repository is free', async () => {
    const repoPath = bench.makeRepo('queue');
    const { sessionId } = await bench.start('Mow the lawn', { repoPath }).run.outcome;
    const session = { action: 'queue', reason: 'it was busy' } as const;
    const { run, events } = bench.start('Mow the lawn again', { repoPath, session });
    expect(await run.outcome).toMatchObject({ sessionId, result: 'success' });
    expect(events[0]).toMatchObject({ type: 'selected', selection: { action: 'resume', sessionId } });
  });

  test('in the next best where another run takes the best while it is chosen', LONG, async () => {
    const repoPath = bench.makeRepo('taken');
    const { sessionId } = await bench.start('Trim the hedge', { repoPath }).run.outcome;
    let lock: Awaited<ReturnType<typeof lockSession>> | undefined;
    const askModel = async () => {
      lock ??= await lockSession(sessionId!, bench.home.env);
      return '{"sessions":[{"id":1,"score":1,"why":"the same hedge"}]}';
    };
    const { run, events } = bench.start('Trim it again', {
      repoPath,
      session: undefined,
      selection: { askModel },
    });
    const outcome = await run.outcome.finally(() => lock?.release());
    expect(outcome).toMatchObject({ result: 'success' });
    expect(outcome.sessionId).not.toBe(sessionId);
    expect(events.filter(({ type }) => type === 'selected')).toMatchObject([
      { selection: { action: 'resume', sessionId } },
      { selection: { action: 'fresh' } },
    ]);
  });

  test(
    'in a fresh one under the label of one whose transcript is gone, with what is left of its budget',
    LONG,
    async () => {
      const repoPath = bench.makeRepo('gone');
      const own = { repoPath, label: 'web', session: undefined };
      const first = await bench.start('Begin', { ...own, maxBudgetUsd: 5 }).run.outcome;
      const transcript = bench.transcriptPath(repoPath, first.sessionId!);
      rmSync(transcript);

      const { run, events } = bench.start('Go on', own);
      const second = await run.outcome;
      expect(events[0]).toMatchObject({
        type: 'selected',
        selection: { action: 'fresh', reason: expect.stringContaining('gone') },
      });
      expect(second.sessionId).not.toBe(first.sessionId);
      expect(second.maxBudgetUsd).toBeCloseTo(5 - first.costUsd, 6);
      expect(second.totalCostUsd).toBeCloseTo(second.costUsd, 9);
      expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
      const labels = [first, second].map(({ sessionId }) => bench.registered(sessionId!)?.label);
      expect(labels).toEqual([undefined, 'web']);
    },
  );

  test('in a fresh one that takes over a label, which is said', LONG, async () => {
    const repoPath = bench.makeRepo('label');
    const own = { repoPath, label: 'web' };
    const first = await bench.start('Begin', own).run.outcome;
    const { run, events } = bench.start('Begin anew', own);
    const second = await run.outcome;
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', message: `The label "web" named session ${first.sessionId} and now names this one` },
    ]);
    const third = await bench.start('Go on', { ...own, session: undefined }).run.outcome;
    expect(third.sessionId).toBe(second.sessionId);
  });

  test('not in what a person forked from it', LONG, async () => {
    const repoPath = bench.makeRepo('forked');
    const { sessionId } = await bench.start('Paint the fence', { repoPath, maxBudgetUsd: 100 }).run.outcome;
    const forked = await runClaude(program, { ...bench.home, cwd: repoPath }, 'Something private.', {
      resume: sessionId!,
      extraArguments: ['--fork-session'],
    });
    const fork = forked.result!.session_id;
    const found = await discoverSessions(repoPath, { stateDir: bench.stateDir, env: bench.home.env });
    const seen = found.find((session) => session.sessionId === fork);
    expect(seen).toMatchObject({ source: 'native-only', forkedFrom: sessionId });
    expect(seen?.agentId).toBeUndefined();
    const again = await bench.start('Paint the fence again', { repoPath, session: undefined }).run.outcome;
    expect(again.sessionId).toBe(sessionId);
  });

  test('in a fresh one where the task only looks like a command', LONG, async () => {
    const repoPath = bench.makeRepo('route');
    const { sessionId } = await bench.start('/reset answers with 500, repair it', { repoPath }).run.outcome;
    expect(bench.readUserTexts(repoPath, sessionId!)).toEqual([
      '[openclaw:agent=main]\n\n/reset answers with 500, repair it',
    ]);
  });

  test('with tools that know what it was chosen from', LONG, async () => {
    const repoPath = bench.makeRepo('known');
    const { sessionId } = await bench.start('Sweep the floor', { repoPath }).run.outcome;
    bench.api.setReplies((request) =>
      holds(request, 'toolu_list')
        ? answer('Done.')
        : { blocks: [call('toolu_list', 'mcp__openbot__openclaw_session_list', {})] },
    );
    const { run, events } = bench.start('Sweep the floor again', { repoPath, session: undefined });
    expect(await run.outcome).toMatchObject({ result: 'success', sessionId });
    const told = events.find((event) => event.type === 'tool-result')!;
    const { asOf } = JSON.parse(told.output) as { asOf: string };
    expect(Date.parse(asOf)).toBeLessThanOrEqual(Date.parse(bench.registered(sessionId!)!.startedAt));
  });

  test('to an end with its reason where its lock is gone', LONG, async () => {
    const repoPath = bench.makeRepo('lost');
    const held = hold(answer('late'));
    bench.api.setReplies(() => held.reply);
    const { run, next } = bench.start('Begin', { repoPath });
    const { sessionId } = await next('started');
    rmSync(join(bench.home.config, 'openbot-locks', `session-${sessionId}.lock`));
    const outcome = await run.outcome;
    held.letGo();
    expect(outcome).toMatchObject({ result: 'error', failure: expect.stringContaining('lock') });
    expect(bench.registered(sessionId)).toMatchObject({ result: 'error' });
  });

  test('although the registry of another agent is damaged, of which it warns', LONG, async () => {
    const repoPath = bench.makeRepo('damaged');
    bench.damageRegistry('broken');
    try {
      const { run, events } = bench.start('Begin', { repoPath, session: undefined });
      expect(await run.outcome).toMatchObject({ result: 'success' });
      expect(events.filter(({ type }) => type === 'warning')).toHaveLength(1);
    } finally {
      bench.damageRegistry('broken', false);
    }
  });

  test('for half an hour by default', async () => {
    const { run, next } = bench.start('Begin', { repoPath: bench.makeRepo('open'), idleMs: undefined });
    expect(await next('idle')).toEqual({ type: 'idle', idleMs: 1_800_000 });
    run.end();
    expect(await run.outcome).toMatchObject({ result: 'success' });
  });
});
