/** Where several sessions may be meant, the person at a terminal is asked; nothing else is. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { header, makeHome, put, sessionsFolder, setAge, userLine, uuid } from '../finding/home.ts';
import { NO_TERMINAL, runInTerminal } from '../setup/pseudo-terminal.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

const DOWN = '\u001b[B';
const UP = '\u001b[A';
const SHOW_CURSOR = '\u001b[?25h';
const END = '\u001b[F';
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

function start(
  home: string,
  args: string[],
  env: Record<string, string> = {},
  script?: { shell: string; next: string },
) {
  return runInTerminal(args, { env: { HOME: home, NO_COLOR: '1', ...env }, cwd: home, script });
}

beforeEach(({ skip }) => skip(NO_TERMINAL !== undefined, NO_TERMINAL));

test('Enter takes the newest, and the list is erased', async () => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  occ.press('\r');
  const { output, code, isRestored } = await occ.ended;
  expect([code, isRestored]).toEqual([0, true]);
  expect(output).toMatch(/ {2}22222222 .* the words of 2222/);
  expect(output).toContain(`\u001b[J\u001b[?2004l\u001b[?25hSession: ${ONE}`);
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

test('all sessions can be searched and reached, not only those of the first page', async () => {
  const home = makeHome();
  const names = Array.from({ length: 130 }, (_, at) => `session-${String(at).padStart(3, '0')}`);
  for (const [age, id] of names.entries()) {
    put(join(sessionsFolder(home), `${id}.jsonl`), header(id) + userLine(`about number ${age}`));
    setAge(join(sessionsFolder(home), `${id}.jsonl`), 1000 - age);
  }
  const searched = start(home, ['info']);
  await searched.shows('> session-000');
  searched.press('number 129');
  await searched.shows('> session-129');
  searched.press('\r');
  expect((await searched.ended).output).toContain('Session: session-129');
  const moved = start(home, ['info']);
  await moved.shows('118 more');
  moved.press(END);
  await moved.shows('> session-129');
  moved.press('none such');
  await moved.shows('no session matches');
  moved.press(ESCAPE);
  expect((await moved.ended).code).toBe(130);
});

test('restore offers only sessions that have a backup', async () => {
  const home = makeSessions();
  const folder = join(sessionsFolder(home), 'backups');
  mkdirSync(folder);
  for (const id of [TWO, THREE])
    copyFileSync(join(sessionsFolder(home), `${id}.jsonl`), join(folder, `${id}.backup.1.jsonl`));
  const occ = start(home, ['restore', '--list']);
  await occ.shows('> 22222222');
  await occ.shows('  33333333');
  occ.press('\r');
  const { output } = await occ.ended;
  expect(output).toContain(`Backups of ${TWO}`);
  expect(output).not.toContain('11111111');
});

test('restore shows the only session that has a backup unless it is the newest', LONG, async () => {
  const home = makeSessions();
  const folder = join(sessionsFolder(home), 'backups');
  mkdirSync(folder);
  const keep = (id: string) =>
    copyFileSync(join(sessionsFolder(home), `${id}.jsonl`), join(folder, `${id}.backup.1.jsonl`));
  const none = await start(home, ['restore', '--list']).ended;
  expect(none.output).not.toContain('Which session?');
  keep(THREE);
  const occ = start(home, ['restore', '--list']);
  await occ.shows('> 33333333');
  occ.press(ESCAPE);
  expect((await occ.ended).code).toBe(130);
});

test('a key pressed with Alt changes nothing', async () => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  occ.press(`${ESCAPE}x${ESCAPE}\u00e9${DOWN}\r`);
  const { output, code } = await occ.ended;
  expect(code).toBe(0);
  expect(output).toContain(`Session: ${TWO}`);
});

test.each(sample(['[', 'O', `${UP}`], { gate: 1 }))('Alt with %j does not cancel', HUNT, async (key) => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  occ.press(ESCAPE + key);
  // Longer than an escape is waited for.
  await sleep(150);
  occ.press(END);
  await occ.shows('> 33333333');
  occ.press('\r');
  expect((await occ.ended).output).toContain(`Session: ${THREE}`);
});

test.each([
  ['[H', '[F'],
  ['OH', 'OF'],
  ['[1~', '[4~'],
  ['[7~', '[8~'],
])('Home and End may be sent as %s and %s', async (first, last) => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  occ.press(ESCAPE + last);
  await occ.shows('> 33333333');
  occ.press(`${ESCAPE}${first}${DOWN}\r`);
  expect((await occ.ended).output).toContain(`Session: ${TWO}`);
});

test('a pasted line end does not choose', LONG, async () => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  occ.press(`${ESCAPE}[200~words of\r3333\r${ESCAPE}[201~`);
  await occ.shows('> 33333333');
  await occ.shows('Filter: words of 3333');
  occ.press('\r');
  expect((await occ.ended).output).toContain(`Session: ${THREE}`);
});

test('COLUMNS does not change where the terminal breaks lines', LONG, async () => {
  const occ = start(makeSessions(), ['info'], { COLUMNS: '200' });
  await occ.shows('> 11111111');
  occ.resize(40);
  await occ.shows('Which session? (Esc to cancel)');
  occ.press('\r');
  expect((await occ.ended).code).toBe(0);
});

test.each(sample(['sh', 'bash'], { gate: 1 }))('Ctrl-C ends a script of %s too', HUNT, async (shell) => {
  const occ = start(makeSessions(), ['info'], {}, { shell, next: 'echo went on' });
  await occ.shows('> 11111111');
  occ.press(CONTROL_C);
  const { output, isRestored } = await occ.ended;
  expect(isRestored).toBe(true);
  expect(output).not.toContain('went on');
});

test('sentences are broken between words at the edge of the terminal', async () => {
  const home = makeHome();
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE) + userLine('words'));
  const { output } = await start(home, ['info', ONE], { COLUMNS: '40' }).ended;
  expect(output).toContain('Recommendation: do not clean; there are\r\nno tool calls to clean.\r\n');
});

test('the list is drawn anew when the width of the terminal changes', LONG, async () => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  await occ.shows('Enter to choose');
  occ.resize(40);
  // The question without its keys is the first line of the narrow list.
  await occ.shows('Which session? (Esc to cancel)');
  occ.press(`${DOWN}\r`);
  const { output } = await occ.ended;
  const narrow = output.slice(output.indexOf('Which session? (Esc'), output.indexOf('Session:'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that move the cursor
  const lines = narrow.split(/\r\n|\u001b\[\d+A|\r\u001b\[J/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(40);
  expect(output).toMatch(new RegExp(`Session:\\s+${TWO}`));
});

test('no progress is drawn over the list while it is read', LONG, async () => {
  const occ = start(makeSessions(), ['info']);
  await occ.shows('> 11111111');
  // Progress is drawn after a second. A busy machine may take longer; then this test proves less, but does not fail.
  await sleep(1500);
  occ.press('\r');
  const { output } = await occ.ended;
  const since = output.slice(output.indexOf('> 11111111'), output.indexOf(SHOW_CURSOR));
  expect(since).not.toMatch(/Reading|Looking/);
});

test.each([
  ['Escape', ESCAPE, /Cancelled\. Nothing was changed\.\r\n$/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the last one shows the cursor
  ['Ctrl-C', CONTROL_C, /\u001b\[\?25h(?:\r\n)?$/],
])('%s cancels, and nothing is changed', async (_, key, end) => {
  const home = makeSessions();
  const path = writeSession(join(home, '.openclaw'), 'main', 'long-session', createSessionWithTurns(30));
  const before = readFileSync(path, 'utf8');
  const occ = start(home, ['edit', '--strip-tools=extreme']);
  await occ.shows('> long-session');
  occ.press(key);
  const { output, code, isRestored } = await occ.ended;
  expect([code, isRestored]).toEqual([130, true]);
  expect(output).toMatch(end);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a signal leaves the terminal as it was', async () => {
  const occ = start(makeSessions(), ['edit', '--strip-tools']);
  await occ.shows('> 11111111');
  occ.signal('SIGTERM');
  const { code, isRestored, output } = await occ.ended;
  expect([code, isRestored]).toEqual([128 + 15, true]);
  expect(output).toContain('\u001b[?25h');
});

test('a name that several have is asked about too', LONG, async () => {
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
