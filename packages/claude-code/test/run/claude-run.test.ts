/** Sessions, follow-ups, cost and permissions, with the real Claude Code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock } from '@openbot/sessions/disk';
import { formatUsd } from '@openbot/sessions/terminal-text';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { apiErrors, blocksOf, call, say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { discoverSessions } from '../../src/discover/discover-sessions.ts';
import { resolveRegistryPath } from '../../src/registry/registry-file.ts';
import { answer, hold, holds, Workbench, waitFor } from './run-workbench.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;

describe.skipIf(missing !== undefined)(`a run of the real Claude Code ${missing ?? ''}`, () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.api.forget();
    bench.api.setReplies(() => answer('Done.'));
  });
  const discover = (repo: string) =>
    discoverSessions(repo, { stateDir: bench.stateDir, env: bench.home.env });

  test('marks its origin, takes follow-ups, writes down what it costs, and is resumed by selection', async () => {
    const repo = bench.makeRepo('login');
    const first = hold(answer('Found it.'));
    bench.api.setReplies((_, count) => (count === 0 ? first.reply : answer(`Answer ${count}.`)));
    const { run, events, next } = bench.start('Fix the login page', { repoPath: repo, idleMs: 600_000 });
    const started = await next('started');
    const { sessionId } = started;
    expect(started).toMatchObject({ action: 'fresh', spentUsd: 0 });
    expect(await discover(repo)).toMatchObject([{ sessionId, isRunning: true, agentId: 'main' }]);

    expect(() => run.send(' ')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    run.send('Test it too');
    expect(events.at(-1)).toEqual({ type: 'follow-up-queued', text: 'Test it too', waiting: 1 });
    await waitFor('a request', () => bench.api.conversations[0]);
    first.letGo();
    const turn = await next('turn-ended');
    expect(turn).toMatchObject({ isError: false, text: 'Found it.' });
    expect(turn.costUsd).toBeGreaterThan(0);
    expect(await next('turn-started')).toEqual({ type: 'turn-started', text: 'Test it too', waiting: 0 });
    await next('idle');
    run.send('Thanks');
    await next('idle');
    run.end();
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ sessionId, result: 'success', text: 'Answer 2.', turns: 3, unsent: [] });
    expect(outcome.totalCostUsd).toBeCloseTo(3 * turn.costUsd, 6);
    expect(events.at(-1)).toEqual({ type: 'ended', outcome });
    expect(() => run.send('more')).toThrow(expect.objectContaining({ code: 'RUN_ENDED' }));

    expect(bench.readUserTexts(repo, sessionId)).toEqual([
      '[openclaw:agent=main]\n\nFix the login page',
      'Test it too',
      'Thanks',
    ]);
    const entry = bench.registered(sessionId)!;
    expect(entry).toMatchObject({
      agentId: 'main',
      repoPath: repo,
      tasks: ['Fix the login page'],
      turns: 3,
      totalCostUsd: outcome.totalCostUsd,
      model: started.model,
      result: 'success',
    });
    expect(Date.parse(entry.endedAt!)).toBeGreaterThanOrEqual(Date.parse(entry.startedAt));
    expect(entry).not.toHaveProperty('runner');
    expect(entry).not.toHaveProperty('child');
    expect(await discover(repo)).toMatchObject([
      {
        sessionId,
        isRunning: false,
        originMarker: 'main',
        firstMessage: 'Fix the login page',
        totalTurns: 3,
      },
    ]);

    const again = bench.start('Fix the login page again', { repoPath: repo, session: undefined });
    const resumed = await again.run.outcome;
    expect(again.events[0]).toMatchObject({ type: 'selected', selection: { action: 'resume', sessionId } });
    expect(resumed).toMatchObject({ sessionId, result: 'success', turns: 1 });
    expect(resumed.costUsd).toBeCloseTo(turn.costUsd, 6);
    expect(resumed.totalCostUsd).toBeCloseTo(4 * turn.costUsd, 6);
    expect(bench.readUserTexts(repo, sessionId).at(-1)).toBe('Fix the login page again');
    expect(bench.registered(sessionId)).toMatchObject({
      tasks: ['Fix the login page', 'Fix the login page again'],
      turns: 4,
      totalCostUsd: resumed.totalCostUsd,
    });
    expect(bench.api.faults).toEqual([]);
  });

  test('a label finds its session, whose budget counts over all its runs', LONG, async () => {
    const repo = bench.makeRepo('labelled');
    const probe = await bench.start('What does it cost', { repoPath: repo }).run.outcome;
    const unit = probe.costUsd;
    const own = { repoPath: repo, label: 'web', session: undefined };

    const first = await bench.start('Begin', { ...own, maxBudgetUsd: 2.5 * unit }).run.outcome;
    expect(first).toMatchObject({ result: 'success', maxBudgetUsd: 2.5 * unit });
    expect(first.sessionId).not.toBe(probe.sessionId);

    // Two more turns: the second of them goes beyond what all three may cost.
    const { run, events } = bench.start('Go on', { ...own, idleMs: 600_000 });
    run.send('And on');
    run.send('And on for ever');
    const second = await run.outcome;
    expect(second).toMatchObject({ sessionId: first.sessionId, result: 'budget', turns: 2 });
    expect(second.text).toBe('Done.');
    expect(second.failure).toContain(formatUsd(2.5 * unit));
    expect(second.unsent).toEqual(['And on for ever']);
    expect(second.totalCostUsd).toBeCloseTo(3 * unit, 6);
    expect(events.filter(({ type }) => type === 'turn-ended')).toMatchObject([
      { isError: false, budgetLeftUsd: expect.closeTo(0.5 * unit, 6) },
      { isError: true, budgetLeftUsd: 0 },
    ]);
    expect(bench.registered(first.sessionId!)).toMatchObject({
      label: 'web',
      result: 'budget',
      maxBudgetUsd: 2.5 * unit,
      totalCostUsd: second.totalCostUsd,
    });
    expect(await discover(repo)).toContainEqual(
      expect.objectContaining({ label: 'web', budgetUsedPct: expect.closeTo(1.2, 6) }),
    );

    const requests = bench.api.conversations.length;
    await expect(bench.start('Again', own).run.outcome).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
    expect(bench.api.conversations).toHaveLength(requests);
    const larger = await bench.start('Again', { ...own, maxBudgetUsd: 10 * unit }).run.outcome;
    expect(larger).toMatchObject({ sessionId: first.sessionId, result: 'success' });
    expect(bench.registered(first.sessionId!)).toMatchObject({ maxBudgetUsd: 10 * unit });
  });

  test.each([
    ['an id', '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a01'],
    ['what is no id', 'yesterday'],
  ])('an unknown session is replaced by a fresh one, and that is said: %s', LONG, async (_name, wanted) => {
    const repo = bench.makeRepo('unknown');
    const { run, events } = bench.start('Go on', {
      repoPath: repo,
      session: { action: 'resume', sessionId: wanted },
    });
    const { sessionId, result, turns } = await run.outcome;
    expect({ result, turns }).toEqual({ result: 'success', turns: 1 });
    expect(sessionId).not.toBe(wanted);
    expect(events.filter(({ type }) => type === 'fallback')).toEqual([
      { type: 'fallback', sessionId: wanted, reason: expect.stringMatching(/\S/) },
    ]);
    expect(bench.readUserTexts(repo, sessionId!)).toEqual(['[openclaw:agent=main]\n\nGo on']);
    expect(bench.registered(wanted)).toBeUndefined();
    expect(bench.registered(sessionId!)).toMatchObject({ result: 'success' });
  });

  test('a permission is asked for, and allowed, changed, denied, timed out, or denied without a listener', async () => {
    const repo = bench.makeRepo('permissions');
    const touch = (name: string) => call(`toolu_${name}`, 'Bash', { command: `touch ${name}` });
    const results: unknown[] = [];
    bench.api.setReplies(({ messages }) => {
      const said = messages.filter(({ role }) => role === 'user');
      const result = blocksOf(said.at(-1)!).find(({ type }) => type === 'tool_result');
      if (result !== undefined) {
        results.push(result);
        return answer('Done.');
      }
      const [, name] = [...JSON.stringify(said).matchAll(/grab (\w+)/g)].at(-1)!;
      return { blocks: [say('Let me.'), touch(name!)] };
    });
    const { run, events, next } = bench.start('grab first', {
      repoPath: repo,
      idleMs: 600_000,
      permissionTimeoutMs: 30,
    });
    const stop = run.onPermissionRequest(({ requestId, input, toolName }) => {
      const command = String(input.command);
      expect(toolName).toBe('Bash');
      if (command.endsWith('first')) run.respondToPermission(requestId, { behavior: 'allow' });
      else if (command.endsWith('second')) {
        run.respondToPermission(requestId, {
          behavior: 'allow',
          updatedInput: { ...input, command: 'touch other' },
        });
      } else if (command.endsWith('third')) {
        run.respondToPermission(requestId, { behavior: 'deny', message: 'Not that one.' });
      }
    });
    const settlements: string[] = [];
    for (const name of ['first', 'second', 'third', 'fourth', 'fifth']) {
      if (name === 'fifth') stop();
      if (name !== 'first') run.send(`grab ${name}`);
      const { request } = await next('permission');
      const settled = await next('permission-settled');
      expect(settled.requestId).toBe(request.requestId);
      settlements.push(settled.settlement);
      await next('idle');
      expect(run.respondToPermission(request.requestId, { behavior: 'allow' })).toBe(false);
    }
    run.end();
    expect(await run.outcome).toMatchObject({ result: 'success', turns: 5 });
    expect(settlements).toEqual(['allowed', 'allowed', 'denied', 'timed-out', 'nobody-listens']);
    const made = ['first', 'second', 'other', 'third', 'fourth', 'fifth'].filter((name) =>
      existsSync(join(repo, name)),
    );
    expect(made).toEqual(['first', 'other']);
    expect(results).toMatchObject([
      {},
      {},
      { is_error: true, content: expect.stringContaining('Not that one.') },
      { is_error: true },
      { is_error: true },
    ]);
    expect(events.find(({ type }) => type === 'tool')).toMatchObject({
      name: 'Bash',
      input: { command: 'touch first' },
    });
    const steps = ['tool', 'permission', 'permission-settled', 'tool-result'];
    const told = events.map(({ type }) => type).filter((type) => steps.includes(type));
    expect(told).toEqual(Array.from({ length: 5 }, () => steps).flat());
  });

  test('an error of the API is one failure, and follow-ups that it cost are named', async () => {
    bench.api.setReplies(() => apiErrors.overloaded());
    const { run, events } = bench.start('Go', { idleMs: 600_000 });
    run.send('And then');
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ result: 'error', turns: 1, unsent: ['And then'] });
    expect(outcome.failure).toContain('529');
    expect(events.filter((event) => event.type === 'turn-ended' && event.isError)).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'ended')).toHaveLength(1);
    expect(bench.registered(outcome.sessionId!)).toMatchObject({ result: 'error' });
  });

  test('what is said while a failed turn is written down is not begun', LONG, async () => {
    const repoPath = bench.makeRepo('failing');
    bench.api.setReplies((request) => (holds(request, 'Second') ? apiErrors.overloaded() : answer('Done.')));
    const { run, events, next } = bench.start('First', { repoPath, idleMs: 600_000 });
    await next('idle');
    const lock = await acquireLock(`${resolveRegistryPath(bench.stateDir, 'main')}.lock`, {
      timeoutMs: 60_000,
    });
    run.send('Second');
    await waitFor('the request', () => bench.api.conversations.find((request) => holds(request, 'Second')));
    // As long as its end most likely takes; where it does not, the follow-up waits all the same.
    await sleep(400);
    run.send('Third');
    await lock.release();
    expect(await run.outcome).toMatchObject({ result: 'error', turns: 2, unsent: ['Third'] });
    const started = events.flatMap((event) => (event.type === 'turn-started' ? [event.text] : []));
    expect(started).toEqual(['First', 'Second']);
  });

  test('an abort at an open question asks the model nothing more', LONG, async () => {
    const repoPath = bench.makeRepo('asked');
    bench.api.setReplies((request) =>
      holds(request, 'toolu_ask')
        ? answer('More.')
        : { blocks: [call('toolu_ask', 'Bash', { command: 'touch it' })] },
    );
    for (let round = 0; round < 3; round++) {
      const { run, events, next } = bench.start('Go', { repoPath });
      run.onPermissionRequest(() => {});
      await next('permission');
      bench.api.forget();
      run.abort();
      expect(await run.outcome).toMatchObject({ result: 'aborted', turns: 0, text: '' });
      expect(bench.api.conversations).toEqual([]);
      expect(events.filter(({ type }) => type === 'text')).toEqual([]);
    }
  });

  test('a secret in an error is shown nowhere', LONG, async () => {
    const key = `sk-ant-api03-${'q7Xz'.repeat(20)}-AA`;
    bench.api.setReplies(() => apiErrors.invalidRequest(`bad credential ${key}`));
    const { run, events } = bench.start('Go');
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ result: 'error', failure: expect.stringContaining('bad credential') });
    expect(JSON.stringify([outcome, events])).not.toContain('q7Xz'.repeat(3));
  });

  test('a repeated request to the API is reported', LONG, async () => {
    // Without the header that tells a client not to repeat it.
    const { headers: _, ...overloaded } = apiErrors.overloaded();
    let asked = 0;
    bench.api.setReplies(() => (asked++ === 0 ? overloaded : answer('Done.')));
    const { run, events } = bench.start('Go');
    expect(await run.outcome).toMatchObject({ result: 'success' });
    expect(events.filter(({ type }) => type === 'retrying')).toEqual([
      {
        type: 'retrying',
        attempt: 1,
        maxRetries: expect.any(Number),
        status: 529,
        reason: expect.any(String),
      },
    ]);
  });

  test('servers come in as an option, made for the session that it is', LONG, async () => {
    const { createSdkMcpServer, tool } = await import('@anthropic-ai/claude-agent-sdk');
    const repo = bench.makeRepo('servers');
    bench.api.setReplies((_, count) =>
      count === 0 ? { blocks: [call('toolu_1', 'mcp__own__whoami', {})] } : answer('Done.'),
    );
    const { run, events } = bench.start('Who are you', {
      repoPath: repo,
      allowedTools: ['mcp__own__whoami'],
      mcpServers: ({ sessionId, agentId, repoPath, action }) => ({
        own: createSdkMcpServer({
          name: 'own',
          alwaysLoad: true,
          tools: [
            tool('whoami', 'Tells who asks', {}, async () => ({
              content: [{ type: 'text', text: [sessionId, agentId, repoPath, action].join('|') }],
            })),
          ],
        }),
      }),
    });
    const { sessionId } = await run.outcome;
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      isError: false,
      output: `${sessionId}|main|${repo}|fresh`,
    });
  });

  test('own instructions and a mode of permissions reach Claude Code', LONG, async () => {
    const repoPath = bench.makeRepo('mode');
    const file_path = join(repoPath, 'written');
    bench.api.setReplies((request) =>
      holds(request, 'toolu_write')
        ? answer('Done.')
        : { blocks: [call('toolu_write', 'Write', { file_path, content: 'x' })] },
    );
    const appendSystemPrompt = 'Speak like a gardener.';
    const { run, events } = bench.start('Write it', {
      repoPath,
      appendSystemPrompt,
      permissionMode: 'acceptEdits',
    });
    expect(await run.outcome).toMatchObject({ result: 'success' });
    expect([existsSync(file_path), events.filter(({ type }) => type === 'permission')]).toEqual([true, []]);
    expect(JSON.stringify(bench.api.conversations[0]!.system)).toContain(appendSystemPrompt);
  });

  test('an idle run that is to stay keeps its repository', LONG, async () => {
    const repoPath = bench.makeRepo('stay');
    const { run, next } = bench.start('Go', { repoPath, idleMs: 600_000, makesRoom: false });
    await next('idle');
    const second = bench.start('Come second', { repoPath });
    await second.next('queued');
    // Longer than one that makes room would take.
    await sleep(1000);
    run.end();
    expect((await run.outcome).ending).toBeUndefined();
    expect(await second.run.outcome).toMatchObject({ result: 'success' });
  });

  test('an idle run ends when its time is over', LONG, async () => {
    const { run, events } = bench.start('Go', { idleMs: 1 });
    expect(await run.outcome).toMatchObject({ result: 'success', ending: 'idle' });
    expect(events).toContainEqual({ type: 'idle', idleMs: 1 });
  });
});
