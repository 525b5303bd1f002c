import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { ownIdentity, type ProcessIdentity } from '@openbot/sessions';
import { afterEach, describe, expect, test } from 'vitest';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import { endLeftovers } from '../../src/runner/end-leftovers.ts';
import { identifyProcess } from '../../src/runner/identify-process.ts';
import { MARK_VARIABLE } from '../../src/runner/marked-processes.ts';
import { endedProcess } from '../registry/ended-process.ts';
import { registered } from '../registry/registered.ts';
import { lives } from './run-workbench.ts';
import { stopProcess } from './stop-process.ts';

const hasProc = existsSync('/proc/self/environ');

describe.skipIf(!hasProc)(`what a crashed run left ${hasProc ? '' : '(there is no /proc)'}`, () => {
  const started: number[] = [];
  afterEach(() => {
    for (const pid of started.splice(0)) if (lives(pid)) process.kill(pid, 'SIGKILL');
  });

  /** A process that goes on for ever, in a group of its own. */
  async function start(mark: string): Promise<ProcessIdentity> {
    const child = spawn('tail', ['-f', '/dev/null'], {
      env: { PATH: process.env.PATH, [MARK_VARIABLE]: mark },
      stdio: 'ignore',
      detached: true,
    });
    await once(child, 'spawn');
    started.push(child.pid!);
    return identifyProcess(child.pid!)!;
  }
  async function end(...sessions: RegisteredSession[]) {
    const found: [sessionId: string, pid: number][] = [];
    const crashed = await endLeftovers(sessions, ({ sessionId }, { pid }) => found.push([sessionId, pid]));
    return { found, crashed };
  }

  test('is ended, Claude Code and its tools, and told once', async () => {
    const mark = randomUUID();
    const [child, tool] = [await start(mark), await start(mark)];
    await stopProcess(tool.pid);
    const session = registered({ runner: await endedProcess(), child, mark });
    expect(await end(session)).toEqual({ found: [[session.sessionId, child.pid]], crashed: [session] });
    expect([lives(child.pid), lives(tool.pid)]).toEqual([false, false]);
  });

  test('is ended also where Claude Code is gone already', async () => {
    const mark = randomUUID();
    const tool = await start(mark);
    const session = registered({ runner: await endedProcess(), child: await endedProcess(), mark });
    expect(await end(session)).toEqual({ found: [[session.sessionId, tool.pid]], crashed: [session] });
    expect(lives(tool.pid)).toBe(false);
  });

  test('may be nothing: the session is still one that crashed', async () => {
    const session = registered({ runner: await endedProcess() });
    expect(await end(session, registered())).toEqual({ found: [], crashed: [session] });
  });

  test('is not what belongs to a run that is at work, or may be at work where nobody can look', async () => {
    const marks = [randomUUID(), randomUUID()] as const;
    const [child, tool, elsewhere] = [await start(marks[0]), await start(marks[0]), await start(marks[1])];
    const here = registered({ runner: ownIdentity(), child, mark: marks[0] });
    const container = { ...(await endedProcess()), pidSpace: 'another boot/pid:[1]' };
    const there = registered({
      runner: container,
      child: { ...elsewhere, pidSpace: container.pidSpace },
      mark: marks[1],
    });
    expect(await end(here, there)).toEqual({ found: [], crashed: [there] });
    expect([child, tool, elsewhere].map(({ pid }) => lives(pid))).toEqual([true, true, true]);
  });
});
