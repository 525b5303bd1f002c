/** Where several sessions may be meant, the person at a terminal is asked; nothing else is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { header, makeHome, put, sessionsFolder, setAge, userLine, uuid } from '../finding/home.ts';
import { NO_TERMINAL, runInTerminal } from '../setup/pseudo-terminal.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

const DOWN = '\u001b[B';
const UP = '\u001b[A';
const ESCAPE = '\u001b';
const CONTROL_C = '\u0003';
const [ONE, TWO, THREE] = ['1', '2', '3'].map(uuid) as [string, string, string];

/** Three sessions, of which the first is the newest. */
function makeSessions(): string {
  const home = makeHome();
  for (const [age, id] of [THREE, TWO, ONE].entries()) {
    const words = `the words of ${id.slice(0, 4)}`;
    setAge(put(join(sessionsFolder(home), `${id}.jsonl`), header(id) + userLine(words)), age);
  }
  return home;
}

function start(home: string, args: string[], env: Record<string, string> = {}) {
  return runInTerminal(args, { env: { HOME: home, NO_COLOR: '1', ...env }, cwd: home });
}

beforeEach(({ skip }) => skip(NO_TERMINAL !== undefined, NO_TERMINAL));

test('Enter takes the newest, and the list is erased', async () => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  occ.press('\r');
  const { output, code, isRestored } = await occ.ended;
  expect([code, isRestored]).toEqual([0, true]);
  expect(output).toMatch(/ {2}22222222 .* the words of 2222/);
  expect(output).toContain(`\u001b[J\u001b[?25hSession: ${ONE}`);
  expect(output).not.toContain('Chosen:');
});

test('arrows move the mark, words search', async () => {
  const home = makeSessions();
  const moved = start(home, ['info']);
  await moved.shows('> 11111111');
  moved.press(DOWN + DOWN);
  await moved.shows('> 33333333');
  moved.press(`${UP}\r`);
  expect((await moved.ended).output).toContain(`Session: ${TWO}`);
  const searched = start(home, ['info']);
  await searched.shows('> 11111111');
  searched.press('WORDS 333');
  await searched.shows('> 33333333');
  searched.press('\r');
  expect((await searched.ended).output).toContain(`Session: ${THREE}`);
});

test.each([
  ['Escape', ESCAPE],
  ['Ctrl-C', CONTROL_C],
])('%s cancels, and nothing is changed', async (_, key) => {
  const home = makeSessions();
  const path = writeSession(join(home, '.openclaw'), 'main', 'long-session', createSessionWithTurns(30));
  const before = readFileSync(path, 'utf8');
  const occ = start(home, ['edit', '--strip-tools=extreme']);
  await occ.shows('> long-session');
  occ.press(key);
  const { output, code, isRestored } = await occ.ended;
  expect([code, isRestored]).toEqual([130, true]);
  expect(output).toMatch(/Cancelled\. Nothing was changed\.\r\n$/);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a signal leaves the terminal as it was', async () => {
  const occ = start(makeSessions(), ['restore']);
  await occ.shows('> 11111111');
  occ.signal('SIGTERM');
  const { code, isRestored, output } = await occ.ended;
  expect([code, isRestored]).toEqual([128 + 15, true]);
  expect(output).toContain('\u001b[?25h');
});

test('a name that several have is asked about too', async () => {
  const home = makeHome();
  for (const id of ['abc-one', 'abc-two', 'other'])
    put(join(sessionsFolder(home), `${id}.jsonl`), header(id));
  const occ = start(home, ['info', 'abc']);
  await occ.shows('abc-two');
  occ.press('two\r');
  const { output } = await occ.ended;
  expect(output).toContain('Session: abc-two');
  expect(output).not.toContain('other');
});

test.each([
  ['a program reads the output', ['--json'], {}],
  ['it runs in CI', [], { CI: '1' }],
  ['the terminal cannot move its cursor', [], { TERM: 'dumb' }],
  ['the session is named', [ONE], {}],
])('nothing is asked where %s', async (_, args, env) => {
  const { output, code } = await start(makeSessions(), ['info', ...args], env).ended;
  expect(code).toBe(0);
  expect(output).toContain(ONE);
  expect(output).not.toContain('Which session?');
});

test("in an agent's shell nothing is asked and nothing is guessed", async () => {
  const { output, code } = await start(makeSessions(), ['info'], { OPENCLAW_SHELL: 'exec' }).ended;
  expect(code).toBe(1);
  expect(output).not.toContain('Which session?');
});
