import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { ownIdentity, type ProcessIdentity } from '@openbot/sessions/disk';
import { afterEach, describe, expect, test } from 'vitest';
import { endLeftovers } from '../../src/processes/end-leftovers.ts';
import { MARK_VARIABLE } from '../../src/processes/marked-processes.ts';
import { identifyProcess } from '../../src/processes/process-list.ts';
import { type RunNote, readRunNotes, writeRunNote } from '../../src/processes/run-note.ts';
import { startRun } from '../../src/run/claude-run.ts';
import type { RunEvent } from '../../src/run-contract/run-event.ts';
import { endedProcess } from '../registry/ended-process.ts';
import { lives } from '../run/run-workbench.ts';
import { stopProcess } from '../run/stop-process.ts';
import { makeTempFolder } from '../temp-folder.ts';

const hasProc = existsSync('/proc/self/environ');

describe.skipIf(!hasProc)(`what a crashed run left ${hasProc ? '' : '(there is no /proc)'}`, () => {
  const started: number[] = [];
  afterEach(() => {
    for (const pid of started.splice(0)) if (lives(pid)) process.kill(pid, 'SIGKILL');
  });

  /** A process that goes on for ever, in a group of its own. */
  async function start(mark: string, command = ['tail', '-f', '/dev/null']): Promise<ProcessIdentity> {
    const child = spawn(command[0]!, command.slice(1), {
      env: { PATH: process.env.PATH, [MARK_VARIABLE]: mark },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await once(child, 'spawn');
    started.push(child.pid!);
    if (command[0] === 'sh') await once(child.stdout, 'data');
    return identifyProcess(child.pid!)!;
  }
  /** One that does not hear of being asked to end. */
  const startDeaf = (mark: string) =>
    start(mark, ['sh', '-c', 'trap "" TERM; echo; while :; do sleep 0.05; done']);

  function makeNotes() {
    const env = { CLAUDE_CONFIG_DIR: makeTempFolder() };
    mkdirSync(`${env.CLAUDE_CONFIG_DIR}/openbot-locks`);
    const found: [sessionId: string, pid: number][] = [];
    return {
      env,
      found,
      write: (own: Omit<RunNote, 'sessionId' | 'repoKey'> & Partial<RunNote>): RunNote => {
        const note = { sessionId: randomUUID(), repoKey: '/a/repo', ...own };
        writeRunNote(note, env);
        return note;
      },
      end: (isMeant: (note: RunNote) => boolean = () => true) =>
        endLeftovers({ env, isMeant, onFound: ({ sessionId }, { pid }) => found.push([sessionId, pid]) }),
    };
  }

  test('is ended, Claude Code and its tools, and reported once', async () => {
    const { env, found, write, end } = makeNotes();
    const mark = randomUUID();
    const [child, tool] = [await start(mark), await start(mark)];
    await stopProcess(tool.pid);
    const { sessionId } = write({ runner: await endedProcess(), child, mark });
    await end();
    expect(found).toEqual([[sessionId, child.pid]]);
    expect([lives(child.pid), lives(tool.pid)]).toEqual([false, false]);
    expect(readRunNotes(env)).toEqual([]);
  });

  test('is ended also where Claude Code is gone already, or was never written down', async () => {
    const { env, found, write, end } = makeNotes();
    const [first, second] = [randomUUID(), randomUUID()];
    const [tool, unknown] = [await start(first), await start(second)];
    const runner = await endedProcess();
    const one = write({ runner, child: await endedProcess(), mark: first });
    const two = write({ runner, mark: second });
    await end();
    expect(new Map(found)).toEqual(
      new Map([
        [one.sessionId, tool.pid],
        [two.sessionId, unknown.pid],
      ]),
    );
    expect([lives(tool.pid), lives(unknown.pid)]).toEqual([false, false]);
    expect(readRunNotes(env)).toEqual([]);
  });

  test('is ended with what Claude Code started without the mark', async () => {
    const { write, end } = makeNotes();
    const mark = randomUUID();
    const script = 'trap "exit" TERM; env -i tail -f /dev/null & echo $!; wait';
    const child = spawn('sh', ['-c', script], {
      env: { PATH: process.env.PATH, [MARK_VARIABLE]: mark },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    const bare = Number(text);
    started.push(child.pid!, bare);
    write({ runner: await endedProcess(), child: identifyProcess(child.pid!), mark });
    await end();
    expect([lives(child.pid!), lives(bare)]).toEqual([false, false]);
  });

  test('may be nothing: only the note goes', async () => {
    const { env, found, write, end } = makeNotes();
    write({ runner: await endedProcess(), mark: randomUUID() });
    await end();
    expect(found).toEqual([]);
    expect(readRunNotes(env)).toEqual([]);
  });

  test('is not what belongs to a run that is at work, is not meant, or may be at work where no process can look', async () => {
    const { env, found, write, end } = makeNotes();
    const marks = [randomUUID(), randomUUID(), randomUUID()] as const;
    const [child, tool] = [await start(marks[0]), await start(marks[0])];
    const [elsewhere, other] = [await start(marks[1]), await start(marks[2])];
    write({ runner: ownIdentity(), child, mark: marks[0] });
    const container = { ...(await endedProcess()), pidSpace: 'another boot/pid:[1]' };
    write({ runner: container, child: { ...elsewhere, pidSpace: container.pidSpace }, mark: marks[1] });
    write({ runner: await endedProcess(), child: other, mark: marks[2], repoKey: '/another/repo' });
    await end(({ repoKey }) => repoKey === '/a/repo');
    expect(found).toEqual([]);
    expect([child, tool, elsewhere, other].map(({ pid }) => lives(pid))).toEqual([true, true, true, true]);
    expect(readRunNotes(env)).toHaveLength(3);
  });

  test.each<[string, 'child' | 'tool']>([
    ['Claude Code', 'child'],
    ['a tool of it', 'tool'],
  ])('is not waited for by a run that is aborted, and stays for the next one: %s', async (_name, which) => {
    const { env, write, end } = makeNotes();
    const mark = randomUUID();
    const deaf = await startDeaf(mark);
    const repo = makeTempFolder();
    const child = which === 'child' ? { child: deaf } : {};
    const note = write({ runner: await endedProcess(), mark, repoKey: repo, ...child });
    const run = startRun({
      ...{ task: 'go', agentId: 'main', repoPath: repo, session: { action: 'fresh' } },
      ...{ stateDir: makeTempFolder(), env: { ...env, PATH: process.env.PATH, HOME: repo } },
    });
    const events: RunEvent[] = [];
    run.onEvent((event) => {
      events.push(event);
      if (event.type === 'leftover') run.abort();
    });
    expect(await run.outcome).toMatchObject({ result: 'aborted', turns: 0 });
    expect(events).toMatchObject([{ type: 'leftover', pid: deaf.pid }, { type: 'ended' }]);
    expect(readRunNotes(env)).toEqual([note]);
    // It is killed only after a long while.
    process.kill(deaf.pid, 'SIGKILL');
    await end();
    expect(readRunNotes(env)).toEqual([]);
  });
});
