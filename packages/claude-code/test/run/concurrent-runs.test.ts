/** Several runs at once, ends by force, and crashes, with the real Claude Code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import {
  apiErrors,
  call,
  type MessagesRequest,
  type Reply,
} from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { discoverSessions } from '../../src/discover/discover-sessions.ts';
import { answer, hold, holds, lives, Workbench, waitFor } from './run-workbench.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;

describe.skipIf(missing !== undefined)(`runs of the real Claude Code ${missing ?? ''}`, () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(() => bench?.close());
  const discover = (repo: string) =>
    discoverSessions(repo, { stateDir: bench.stateDir, env: bench.home.env });
  /** Replies by a word in the conversation; others are answered at once. */
  const script = (replies: Readonly<Record<string, (request: MessagesRequest) => Reply | Promise<Reply>>>) =>
    bench.api.setReplies((request) => {
      const found = Object.entries(replies).find(([word]) => holds(request, word));
      return found === undefined ? answer('Done.') : found[1](request);
    });
  /** A tool that goes on until it is ended, and leaves its pid. */
  const endless = () => ({
    blocks: [call('toolu_endless', 'Bash', { command: 'echo $$ > pid; tail -f /dev/null' })],
    usage: { input_tokens: 100_000, output_tokens: 1000 },
  });
  const readPid = (repo: string) =>
    waitFor('the pid of the tool', () => {
      const path = join(repo, 'pid');
      const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
      return pid > 0 ? pid : undefined;
    });
  const isGone = (pid: number) => waitFor(`an end of ${pid}`, () => (lives(pid) ? undefined : true));

  test('one works, one waits, a third is refused, and the failure of the first is the start of the second', async () => {
    const repo = bench.makeRepo('busy');
    const held = hold(answer('late'));
    script({ slowly: () => held.reply });
    const first = bench.start('Work slowly', { repoPath: repo });
    const { sessionId } = await first.next('started');
    const second = bench.spawnRun('Come second', { repoPath: repo, session: undefined });
    expect((await second.next('queued')).behind).toContain(`process ${process.pid}`);
    await expect(bench.start('Come third', { repoPath: repo }).run.outcome).rejects.toMatchObject({
      code: 'REPO_BUSY',
      message: expect.stringContaining(`process ${second.child.pid}`),
    });
    // Elsewhere there is room, but not in a session that is taken.
    await expect(
      bench.start('Elsewhere', {
        repoPath: bench.makeRepo('elsewhere'),
        session: { action: 'resume', sessionId },
      }).run.outcome,
    ).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(second.events.map(({ type }) => type)).toEqual(['queued']);

    held.letGo(apiErrors.overloaded());
    expect(await first.run.outcome).toMatchObject({ result: 'error', sessionId });
    expect(await second.ended).toEqual([0, null]);
    expect(second.events.at(-1)).toMatchObject({ type: 'ended', outcome: { result: 'success' } });
    expect((await discover(repo)).filter(({ isRunning }) => isRunning)).toEqual([]);
  });

  test('an idle run makes room for one that waits; one that waits can be aborted', LONG, async () => {
    const repo = bench.makeRepo('idle');
    const held = hold(answer('late'));
    script({ slowly: () => held.reply });
    const first = bench.start('Work slowly', { repoPath: repo, idleMs: 600_000 });
    await first.next('started');
    const aborted = bench.start('Never mind', { repoPath: repo });
    await aborted.next('queued');
    aborted.run.abort();
    expect(await aborted.run.outcome).toMatchObject({ result: 'aborted', turns: 0 });
    const second = bench.start('Come second', { repoPath: repo });
    await second.next('queued');
    held.letGo();
    expect(await first.run.outcome).toMatchObject({ result: 'success', text: 'late', ending: 'made-room' });
    expect(await second.run.outcome).toMatchObject({ result: 'success' });
  });

  test('an abort ends Claude Code and its tools', LONG, async () => {
    const repo = bench.makeRepo('abort');
    script({ forever: endless });
    const stop = new AbortController();
    const { run, next } = bench.start('Work forever', {
      repoPath: repo,
      allowedTools: ['Bash'],
      signal: stop.signal,
    });
    const { sessionId, pid: claude } = await next('started');
    const pid = await readPid(repo);
    expect(lives(claude)).toBe(true);
    stop.abort();
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ sessionId, result: 'aborted', ending: 'aborted' });
    expect(outcome.costUsd).toBeGreaterThan(0);
    expect([lives(claude), lives(pid)]).toEqual([false, false]);
    expect(bench.registered(sessionId)).toMatchObject({ result: 'aborted', totalCostUsd: outcome.costUsd });
    expect(bench.registered(sessionId)).not.toHaveProperty('runner');
  });

  test('a killed Claude Code is one failure of a busy run, and none of an idle one', LONG, async () => {
    const repo = bench.makeRepo('killed');
    const held = hold(answer('late'));
    script({ slowly: () => held.reply });
    const busy = bench.start('Work slowly', { repoPath: repo });
    process.kill((await busy.next('started')).pid, 'SIGKILL');
    const outcome = await busy.run.outcome;
    held.letGo();
    expect(outcome).toMatchObject({ result: 'error', turns: 0, failure: expect.stringMatching(/\S/) });
    expect(bench.registered(outcome.sessionId!)).toMatchObject({ result: 'error' });

    const idle = bench.start('Be quick', { repoPath: repo, idleMs: 600_000 });
    const { pid } = await idle.next('started');
    await idle.next('idle');
    process.kill(pid, 'SIGKILL');
    expect(await idle.run.outcome).toMatchObject({ result: 'success', text: 'Done.' });
    expect(idle.events.filter(({ type }) => type === 'warning')).toHaveLength(1);
  });

  test(
    'SIGTERM of our process ends Claude Code and its tools, and is what the process then dies of',
    LONG,
    async () => {
      const repo = bench.makeRepo('terminated');
      script({ forever: endless });
      const spawned = bench.spawnRun('Work forever', { repoPath: repo, allowedTools: ['Bash'] });
      const { sessionId, pid: claude } = await spawned.next('started');
      const pid = await readPid(repo);
      spawned.child.kill('SIGTERM');
      expect(await spawned.ended).toEqual([null, 'SIGTERM']);
      expect([lives(claude), lives(pid)]).toEqual([false, false]);
      expect(bench.registered(sessionId)).toMatchObject({ result: 'aborted' });
      expect(await discover(repo)).toMatchObject([{ sessionId, isRunning: false }]);
    },
  );

  test('after a crash of our process nothing goes on, and who waits begins', async () => {
    const repo = bench.makeRepo('crash');
    script({ forever: endless });
    const spawned = bench.spawnRun('Work forever', { repoPath: repo, allowedTools: ['Bash'] });
    const { sessionId, pid: claude } = await spawned.next('started');
    const pid = await readPid(repo);
    expect(await discover(repo)).toMatchObject([{ sessionId, isRunning: true }]);
    const second = bench.start('Come second', { repoPath: repo });
    await second.next('queued');
    spawned.child.kill('SIGKILL');
    await spawned.ended;
    expect(await discover(repo)).toMatchObject([{ sessionId, isRunning: false, source: 'openclaw' }]);
    await second.next('started');
    // Elsewhere a process cannot be told from a later one with its pid: it ends by itself, a little later.
    if (process.platform === 'linux') expect([lives(claude), lives(pid)]).toEqual([false, false]);
    expect(await second.run.outcome).toMatchObject({ result: 'success' });
    const crashed = bench.registered(sessionId)!;
    expect(crashed).toMatchObject({ result: 'error', endedAt: expect.any(String) });
    expect(crashed).not.toHaveProperty('runner');
    expect(crashed.totalCostUsd).toBeGreaterThan(0);
    // What was going on can be resumed: its lock went with its process.
    script({});
    const resumed = bench.start('Go on', { repoPath: repo, session: { action: 'resume', sessionId } });
    expect(await resumed.run.outcome).toMatchObject({ sessionId, result: 'success' });
  });

  test('after a crash of our process Claude Code ends even without a next run', LONG, async () => {
    const repo = bench.makeRepo('alone');
    script({ forever: endless });
    const spawned = bench.spawnRun('Work forever', { repoPath: repo, allowedTools: ['Bash'] });
    const { pid: claude } = await spawned.next('started');
    const pid = await readPid(repo);
    spawned.child.kill('SIGKILL');
    await isGone(claude);
    await isGone(pid);
  });
});
