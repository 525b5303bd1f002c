import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { endMarked, findMarked, MARK_VARIABLE } from '../../src/processes/marked-processes.ts';
import { lives, waitFor } from '../run/run-workbench.ts';
import { stopProcess } from '../run/stop-process.ts';
import { makeTempFolder } from '../temp-folder.ts';

const hasProc = existsSync('/proc/self/environ');

describe.skipIf(!hasProc)(`processes with a mark ${hasProc ? '' : '(there is no /proc)'}`, () => {
  const started: number[] = [];
  afterEach(() => {
    for (const pid of started.splice(0)) if (lives(pid)) process.kill(pid, 'SIGKILL');
  });

  /** A shell script in a group of its own, once it has said a line. Each line is a pid that it leaves. */
  async function start(mark: string, script: string): Promise<number[]> {
    const child = spawn('/bin/sh', ['-c', script], {
      env: { PATH: process.env.PATH, [MARK_VARIABLE]: mark },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    }) as ChildProcess;
    const [text] = (await once(child.stdout!, 'data')) as [Buffer];
    const pids = text.toString().trim().split(/\s+/).map(Number);
    started.push(...pids);
    return pids;
  }
  const pidsOf = (mark: string) => findMarked(mark).map(({ pid }) => pid);

  test('are found wherever they are, and those of another mark are left alone', async () => {
    const [mark, other] = [randomUUID(), randomUUID()];
    const [first] = await start(mark, 'echo $$; exec tail -f /dev/null');
    const [second] = await start(mark, 'echo $$; exec tail -f /dev/null');
    const [foreign] = await start(other, 'echo $$; exec tail -f /dev/null');
    await waitFor('both of them', () => (pidsOf(mark).length === 2 ? true : undefined));
    expect(pidsOf(mark).sort()).toEqual([first, second].sort());
    expect(await endMarked(mark)).toEqual([]);
    expect([lives(first!), lives(second!), lives(foreign!)]).toEqual([false, false, true]);
    expect(pidsOf(mark)).toEqual([]);
  });

  test('end also where they ignore being asked, or are stopped', async () => {
    const mark = randomUUID();
    const [deaf] = await start(mark, 'trap "" TERM; echo $$; while :; do sleep 0.05; done');
    const [stopped] = await start(mark, 'echo $$; exec tail -f /dev/null');
    await stopProcess(stopped!);
    expect(await endMarked(mark, { patienceMs: 200 })).toEqual([]);
    expect([lives(deaf!), lives(stopped!)]).toEqual([false, false]);
  });

  test('may end in an orderly way while there is patience', async () => {
    const mark = randomUUID();
    const note = join(makeTempFolder(), 'note');
    const cleanUp = `sleep 0.2; echo cleaned up > '${note}'; exit`;
    const [orderly] = await start(mark, `trap "${cleanUp}" TERM; echo $$; while :; do sleep 0.05; done`);
    expect(await endMarked(mark, { patienceMs: 60_000, limitMs: 60_000 })).toEqual([]);
    expect(lives(orderly!)).toBe(false);
    expect(readFileSync(note, 'utf8')).toBe('cleaned up\n');
  });

  test('are ended with what they start meanwhile', async () => {
    const mark = randomUUID();
    const note = join(makeTempFolder(), 'note');
    const goOn = `sh -c 'echo $$ > "${note}"; exec tail -f /dev/null' & exit`;
    const script = `trap '${goOn.replaceAll("'", `'\\''`)}' TERM; echo $$; tail -f /dev/null & wait`;
    await start(mark, script);
    // Long enough for it to have started something on any machine: what was not asked is killed only then.
    expect(await endMarked(mark, { patienceMs: 5000, limitMs: 600_000 })).toEqual([]);
    const late = Number(readFileSync(note, 'utf8'));
    started.push(late);
    expect(lives(late)).toBe(false);
    expect(pidsOf(mark)).toEqual([]);
  });

  test('are ended with children that do not carry the mark', async () => {
    const mark = randomUUID();
    const pids = await start(mark, 'env -i tail -f /dev/null & echo $! $$; wait');
    expect(pids).toHaveLength(2);
    expect(await endMarked(mark)).toEqual([]);
    expect(pids.map(lives)).toEqual([false, false]);
  });

  test('never are the process that looks', async () => {
    const mark = randomUUID();
    const child = spawn(
      process.execPath,
      ['--conditions=openbot-source', join(import.meta.dirname, 'end-marked-child.ts'), mark],
      { env: { PATH: process.env.PATH, [MARK_VARIABLE]: mark }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said).toBe('found 1, left 0\n');
  });

  test.each(['', 'x', '0', `${randomUUID()} `])('are none for %j, which is no mark', async (mark) => {
    const [pid] = await start(mark, 'echo $$; exec tail -f /dev/null');
    expect(findMarked(mark)).toEqual([]);
    expect(await endMarked(mark)).toEqual([]);
    expect(lives(pid!)).toBe(true);
  });
});
