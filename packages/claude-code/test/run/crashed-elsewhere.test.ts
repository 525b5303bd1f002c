/** Crashes of which the next run could know nothing by the registry, with the real Claude Code. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { call } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { killWithGuards } from './find-guards.ts';
import { answer, holds, lives, Workbench, waitFor } from './run-workbench.ts';

const binary = findClaudeBinary();
const hasProc = existsSync('/proc/self/environ');
const missing = 'missing' in binary ? binary.missing : hasProc ? undefined : 'there is no /proc';

/** Goes on for ever, and does not hear of being asked to end. */
const DEAF = `trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done`;

describe.skipIf(missing !== undefined)(`no two are at work in one session ${missing ?? ''}`, () => {
  let bench: Workbench;
  const left: number[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => {
    for (const pid of left.splice(0)) if (lives(pid)) process.kill(pid, 'SIGKILL');
  });
  afterAll(() => bench?.close());
  const readPid = (repo: string) =>
    waitFor('the pid of what goes on', () => {
      const path = join(repo, 'pid');
      const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
      if (pid > 0) left.push(pid);
      return pid > 0 ? pid : undefined;
    });

  test('after a crash of a run with another state folder, in another repository', LONG, async () => {
    const [repo, other] = [bench.makeRepo('one'), bench.makeRepo('other')];
    bench.api.setReplies((request) =>
      holds(request, 'forever') && !holds(request, 'Go on')
        ? { blocks: [call('toolu_deaf', 'Bash', { command: DEAF })] }
        : answer('Done.'),
    );
    const spawned = bench.spawnRun('Work forever', {
      ...{ repoPath: repo, allowedTools: ['Bash'] },
      stateDir: join(bench.home.root, 'another-state'),
    });
    const { sessionId, pid: claude } = await spawned.next('started');
    left.push(claude);
    const tool = await readPid(repo);
    await killWithGuards(spawned.child);
    await spawned.ended;
    expect([lives(claude), lives(tool)]).toEqual([true, true]);
    const { run, next, events } = bench.start('Go on', {
      repoPath: other,
      session: { action: 'resume', sessionId },
    });
    expect(await next('started')).toMatchObject({ sessionId, action: 'resume' });
    expect([lives(claude), lives(tool)]).toEqual([false, false]);
    expect(events.filter(({ type }) => type === 'leftover')).toEqual([
      { type: 'leftover', sessionId, pid: claude },
    ]);
    expect(await run.outcome).toMatchObject({ result: 'success' });
    expect(bench.note(sessionId)).toBeUndefined();
  });

  test('after a crash before Claude Code said anything', LONG, async () => {
    const repo = bench.makeRepo('early');
    bench.api.setReplies(() => answer('Done.'));
    mkdirSync(join(repo, '.claude'));
    const hook = { hooks: [{ type: 'command', command: DEAF }] };
    writeFileSync(
      join(repo, '.claude', 'settings.json'),
      JSON.stringify({ hooks: { SessionStart: [hook] } }),
    );
    const spawned = bench.spawnRun('Begin', { repoPath: repo, settingSources: ['project'] });
    const pid = await readPid(repo);
    await killWithGuards(spawned.child);
    await spawned.ended;
    expect(spawned.events).toEqual([]);
    expect(lives(pid)).toBe(true);
    const { run, next, events } = bench.start('Begin again', { repoPath: repo });
    await next('started');
    expect(lives(pid)).toBe(false);
    expect(events.map(({ type }) => type).filter((type) => type === 'leftover')).toHaveLength(1);
    expect(await run.outcome).toMatchObject({ result: 'success' });
  });
});
