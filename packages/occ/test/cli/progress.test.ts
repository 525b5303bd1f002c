/** What is shown while a command waits, by real processes in real terminals. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { noTerminal, screenOf, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from '../commands/state-folder.ts';
import { makeHome } from '../session-db/database-home.ts';
import { cleanEnvironment, OCC_LAUNCHER } from '../setup/run-occ.ts';
import { type Child, startChild } from '../setup/start-child.ts';

const LOCK_HOLDER = new URL('../in-use/children/hold-lock.mjs', import.meta.url);
const DATABASE_HOLDER = new URL('../session-db/children/hold-database.mjs', import.meta.url);
const CTRL_C = '\u0003';

let state: StateFolder;
let path: string;
let holder: Child;
beforeEach(async () => {
  state = makeStateFolder();
  path = state.add(thirtyTurns());
  holder = startChild(LOCK_HOLDER, [path]);
  await holder.said('held');
});

function start(home: string, args: readonly string[], redirection = '') {
  const env = cleanEnvironment({ HOME: home });
  const words = [process.execPath, OCC_LAUNCHER, ...args];
  return startInTerminal(words, { env, cwd: home, columns: 100, redirection });
}

const EDIT = ['edit', ID, '--strip-tools', '--wait=100'];

describe.skipIf(noTerminal !== undefined)(`while a session is in use ${noTerminal ?? ''}`, () => {
  it('a terminal shows who has it, and nothing of that is left behind the result', async () => {
    const run = start(state.home, EDIT);
    await run.shows(/Waiting \d+ s for process \d+ /);
    holder.tell('let-go');
    const { text, code } = await run.ended;
    expect(code).toBe(0);
    const [first] = screenOf(text, 100);
    expect(first).toBe(`✓ Session edited: ${ID}`);
    expect(screenOf(text, 100).join('\n')).not.toContain('Waiting');
  });

  it('Ctrl-C erases the line and ends the command, and the session stays as it is', LONG, async () => {
    const before = readFileSync(path);
    const run = start(state.home, EDIT);
    await run.shows(/Waiting \d+ s for process/);
    run.child.stdin!.write(CTRL_C);
    const { text, code } = await run.ended;
    expect(code).toBe(130);
    expect(screenOf(text, 100).filter((line) => line !== '')).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('stderr that is no terminal gets one line', async () => {
    const run = start(state.home, EDIT, '2>said');
    const read = () => readFileSync(join(state.home, 'said'), { encoding: 'utf8', flag: 'a+' });
    while (!read().includes('\n')) await sleep(20);
    await sleep(300);
    holder.tell('let-go');
    expect((await run.ended).code).toBe(0);
    expect(read()).toMatch(/^Waiting for process \d+ .*, which holds the lock of the session\n$/);
  });

  it('with --json nothing is said', LONG, async () => {
    const run = start(state.home, [...EDIT, '--json']);
    await sleep(1500);
    holder.tell('let-go');
    const { text, code } = await run.ended;
    expect([code, JSON.parse(text).changed]).toEqual([0, true]);
  });
});

it.skipIf(noTerminal !== undefined)(
  `a wait for a database is shown too, and Ctrl-C ends it ${noTerminal ?? ''}`,
  async () => {
    const home = makeHome([
      { key: 'agent:main:main', events: generateEvents({ seed: 8, turns: 10, sessionId: ID }) },
    ]);
    const writer = startChild(DATABASE_HOLDER, [home.path]);
    await writer.said('held');
    const run = start(home.folder, EDIT);
    await run.shows(/Waiting \d+ s for another program, which writes to /);
    run.child.stdin!.write(CTRL_C);
    const { text, code } = await run.ended;
    expect(code).toBe(130);
    expect(screenOf(text, 100).filter((line) => line !== '')).toEqual([]);
    writer.tell('let-go');
    expect(await writer.ended).toBe(0);
  },
);
