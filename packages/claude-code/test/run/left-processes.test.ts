/** What is left of the real Claude Code and its tools when one of them, or this program, ends by force. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { call } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findMarked, MARK_VARIABLE } from '../../src/processes/marked-processes.ts';
import { findGuards } from './find-guards.ts';
import { answer, holds, lives, Workbench, waitFor } from './run-workbench.ts';
import { stopProcess } from './stop-process.ts';

const binary = findClaudeBinary();
const hasProc = existsSync('/proc/self/environ');
const missing = 'missing' in binary ? binary.missing : hasProc ? undefined : 'there is no /proc';

/** A tool that goes on until it is ended, one that it detached, and one that carries nothing of its environment. */
const TOOL = `nohup tail -f /dev/null >/dev/null 2>&1 &
echo $! > detached
env -i "$(command -v tail)" -f /dev/null &
echo $! > bare
echo $$ > shell
tail -f /dev/null`;
const NOTES = ['shell', 'detached', 'bare'] as const;

describe.skipIf(missing !== undefined)(`of the real Claude Code nothing is left ${missing ?? ''}`, () => {
  let bench: Workbench;
  const tools: number[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => {
    for (const pid of tools.splice(0)) if (lives(pid)) process.kill(pid, 'SIGKILL');
  });
  afterAll(() => bench?.close());

  /** What is to be done forever starts the tool, everything else is answered at once. */
  const script = (command = TOOL) =>
    bench.api.setReplies((request) =>
      holds(request, 'forever') && !holds(request, 'toolu_endless')
        ? { blocks: [call('toolu_endless', 'Bash', { command })] }
        : answer('Done.'),
    );
  const readPids = (repo: string, notes: readonly string[] = NOTES) =>
    Promise.all(
      notes.map((name) =>
        waitFor(`the pid of ${name}`, () => {
          const path = join(repo, name);
          const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
          if (pid > 0) tools.push(pid);
          return pid > 0 ? pid : undefined;
        }),
      ),
    );
  const request = (repo: string) => ({ repoPath: repo, allowedTools: ['Bash'] });
  const isGone = (pid: number) => waitFor(`an end of ${pid}`, () => (lives(pid) ? undefined : true));
  /** Claude Code behind a script that ignores being asked to end, and so never asks Claude Code. */
  const makeDeaf = (): string => {
    const path = join(bench.home.root, 'deaf-claude');
    writeFileSync(path, `#!/bin/sh\ntrap '' TERM\n'${'path' in binary ? binary.path : ''}' "$@"\nexit 1\n`);
    chmodSync(path, 0o755);
    return path;
  };

  test('all that it starts carries the mark of its run', async () => {
    const repo = bench.makeRepo('marked');
    script();
    const { run, next } = bench.start('Work forever', request(repo));
    const { sessionId, pid: claude } = await next('started');
    const [shell, detached, bare] = await readPids(repo);
    const { mark } = bench.note(sessionId)!;
    const carries = (pid: number) =>
      readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${MARK_VARIABLE}=${mark}`);
    // While a program replaces another one in a process, its environment reads as empty.
    for (const pid of [claude, shell!, detached!])
      await waitFor(`the mark of ${pid}`, () => carries(pid) || undefined);
    expect(findMarked(mark).map(({ pid }) => pid)).toEqual(
      expect.arrayContaining([claude, shell, detached, bare]),
    );
    run.abort();
    await run.outcome;
    expect([claude, shell!, detached!, bare!].map(lives)).toEqual([false, false, false, false]);
    expect(bench.note(sessionId)).toBeUndefined();
  });

  test('after an abort of one that is stopped', LONG, async () => {
    const repo = bench.makeRepo('stopped');
    script();
    const { run, next } = bench.start('Work forever', request(repo));
    const { pid: claude } = await next('started');
    const pids = await readPids(repo);
    await stopProcess(claude);
    run.abort();
    expect(await run.outcome).toMatchObject({ result: 'aborted' });
    expect([claude, ...pids].map(lives)).toEqual([false, false, false, false]);
  });

  test('after an abort of a process that does not react to it', LONG, async () => {
    const repo = bench.makeRepo('deaf');
    script();
    const { run, next } = bench.start('Work forever', {
      ...request(repo),
      pathToClaudeCodeExecutable: makeDeaf(),
    });
    const { pid: claude, sessionId } = await next('started');
    const pids = await readPids(repo);
    const marked = findMarked(bench.note(sessionId)!.mark).map(({ pid }) => pid);
    run.abort();
    expect(await run.outcome).toMatchObject({ result: 'aborted' });
    expect([claude, ...pids, ...marked].filter(lives)).toEqual([]);
  });

  test('after it was killed', async () => {
    const repo = bench.makeRepo('killed');
    script();
    const { run, next } = bench.start('Work forever', request(repo));
    const { pid: claude } = await next('started');
    const pids = await readPids(repo);
    process.kill(claude, 'SIGKILL');
    expect(await run.outcome).toMatchObject({ result: 'error' });
    expect(pids.map(lives)).toEqual([false, false, false]);
  });

  test('after it was killed behind a script that started it', LONG, async () => {
    const repo = bench.makeRepo('killed-behind');
    script();
    const { run, next } = bench.start('Work forever', {
      ...request(repo),
      pathToClaudeCodeExecutable: makeDeaf(),
    });
    const { pid: wrapper, sessionId } = await next('started');
    const pids = await readPids(repo);
    const marked = findMarked(bench.note(sessionId)!.mark);
    process.kill(marked.find(({ parent }) => parent === wrapper)!.pid, 'SIGKILL');
    expect(await run.outcome).toMatchObject({ result: 'error' });
    expect(pids.map(lives)).toEqual([false, false, false]);
  });

  test('after it ended with an error, although everything was answered', LONG, async () => {
    const repo = bench.makeRepo('failed');
    script('nohup tail -f /dev/null >/dev/null 2>&1 & echo $! > detached');
    const path = join(bench.home.root, 'failing-claude');
    writeFileSync(path, `#!/bin/sh\n'${'path' in binary ? binary.path : ''}' "$@"\nexit 3\n`);
    chmodSync(path, 0o755);
    const { run } = bench.start('Start what goes on forever', {
      ...request(repo),
      pathToClaudeCodeExecutable: path,
    });
    expect(await run.outcome).toMatchObject({ result: 'success' });
    const [detached] = await readPids(repo, ['detached']);
    expect(lives(detached!)).toBe(false);
  });

  test('after this program was killed while it is stopped', LONG, async () => {
    const repo = bench.makeRepo('crash-stopped');
    script();
    const spawned = bench.spawnRun('Work forever', request(repo));
    const { pid: claude } = await spawned.next('started');
    const pids = await readPids(repo);
    await stopProcess(claude);
    spawned.child.kill('SIGKILL');
    for (const pid of [claude, ...pids]) await isGone(pid);
  });

  test('after this program was killed while it does not hear', LONG, async () => {
    const repo = bench.makeRepo('crash-deaf');
    script();
    const spawned = bench.spawnRun('Work forever', {
      ...request(repo),
      pathToClaudeCodeExecutable: makeDeaf(),
    });
    const { pid: claude, sessionId } = await spawned.next('started');
    const pids = await readPids(repo);
    const marked = findMarked(bench.note(sessionId)!.mark).map(({ pid }) => pid);
    spawned.child.kill('SIGKILL');
    for (const pid of [claude, ...pids, ...marked]) await isGone(pid);
  });

  test('after both were killed', LONG, async () => {
    const repo = bench.makeRepo('both');
    script();
    const spawned = bench.spawnRun('Work forever', request(repo));
    const { pid: claude } = await spawned.next('started');
    const pids = await readPids(repo);
    await stopProcess(spawned.child.pid!);
    process.kill(claude, 'SIGKILL');
    spawned.child.kill('SIGKILL');
    for (const pid of pids) await isGone(pid);
  });

  test('when the next run begins, even if no process was left to end its tools', LONG, async () => {
    const repo = bench.makeRepo('alone');
    script();
    const spawned = bench.spawnRun('Work forever', request(repo));
    const { pid: claude, sessionId } = await spawned.next('started');
    const pids = await readPids(repo);
    await stopProcess(spawned.child.pid!);
    for (const pid of findGuards(spawned.child.pid!)) process.kill(pid, 'SIGKILL');
    process.kill(claude, 'SIGKILL');
    spawned.child.kill('SIGKILL');
    await spawned.ended;
    await isGone(claude);
    expect(pids.map(lives)).toEqual([true, true, true]);
    const { run, next, events } = bench.start('Come second', { repoPath: repo });
    await next('started');
    expect(pids.map(lives)).toEqual([false, false, false]);
    expect(events.filter(({ type }) => type === 'leftover')).toMatchObject([{ sessionId }]);
    expect(await run.outcome).toMatchObject({ result: 'success' });
  });

  test('but what it detached at a good end goes on', LONG, async () => {
    const repo = bench.makeRepo('good');
    script('nohup tail -f /dev/null >/dev/null 2>&1 & echo $! > detached');
    const { run } = bench.start('Start what goes on forever', request(repo));
    expect(await run.outcome).toMatchObject({ result: 'success' });
    const [detached] = await readPids(repo, ['detached']);
    expect(lives(detached!)).toBe(true);
  });
});
