import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { listSessions as listInSdk } from '@anthropic-ai/claude-agent-sdk';
import { expect, test, vi } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { FIXTURES, header, makeHome, put, scopeAt, setAge, uuid } from './home.ts';

const [ONE, TWO, THREE] = [uuid('1'), uuid('2'), uuid('3')];
const slugOf = (path: string) => path.replace(/[^a-zA-Z0-9]/g, '-');

/** A session that was started in a folder, as Claude Code files it. */
function putClaude(home: string, sessionId: string, cwd: string, age: number, lines = ''): string {
  const path = join(home, '.claude/projects', slugOf(cwd), `${sessionId}.jsonl`);
  const user = {
    type: 'user',
    uuid: uuid('9'),
    sessionId,
    cwd,
    message: { role: 'user', content: 'Fix the login' },
  };
  setAge(put(path, `${JSON.stringify({ parentUuid: null, ...user })}\n${lines}`), age);
  return path;
}

const titleLine = (customTitle: string, sessionId = ONE) =>
  `${JSON.stringify({ type: 'custom-title', customTitle, sessionId })}\n`;

test('without a name: the newest session of the working folder, not of another', async () => {
  const home = makeHome();
  const [here, other] = [join(home, 'here'), join(home, 'other')];
  mkdirSync(here);
  symlinkSync(here, join(home, 'link'));
  putClaude(home, ONE, here, 10);
  putClaude(home, TWO, here, 20);
  putClaude(home, THREE, other, 30);
  for (const cwd of [here, join(home, 'link')]) {
    const scope = scopeAt(home, { source: 'claude', cwd });
    expect(await resolveSession(scope)).toMatchObject({
      session: { sessionId: TWO },
      foundBy: 'most-recent',
    });
  }
  const { stdout } = await runOccHere(['info', '--source', 'claude'], { env: { HOME: home }, cwd: here });
  expect(stdout).toContain('the most recently active session of Claude Code in this folder');
});

test('a folder whose sessions are filed under the same name is another one', async () => {
  const home = makeHome();
  const here = join(home, 'col.x');
  mkdirSync(here);
  putClaude(home, ONE, here, 10);
  putClaude(home, TWO, join(home, 'col-x'), 20);
  const scope = scopeAt(home, { source: 'claude', cwd: here });
  expect((await resolveSession(scope)).session.sessionId).toBe(ONE);
});

test('no session of the working folder: an error that says so, and how to name another', async () => {
  const home = makeHome();
  putClaude(home, ONE, join(home, 'other'), 10);
  const scope = scopeAt(home, { source: 'claude' });
  await expect(resolveSession(scope)).rejects.toMatchObject({
    code: 'NO_SESSIONS',
    message: `No sessions found for Claude Code in ${home}`,
    hint: expect.stringContaining('occ list --source claude'),
  });
  expect((await resolveSession(scope, ONE)).session.sessionId).toBe(ONE);
});

test('a title is the last that the lines give, as Claude Code shows it; else that of the file', async () => {
  const home = makeHome();
  const here = join(home, 'here');
  mkdirSync(here);
  const path = putClaude(home, ONE, here, 10, titleLine('First') + titleLine('Naïve "plan"'));
  put(join(path.slice(0, -'.jsonl'.length), 'custom-title.json'), { customTitle: 'Of the file' });
  const other = putClaude(home, TWO, here, 20);
  put(join(other.slice(0, -'.jsonl'.length), 'custom-title.json'), { customTitle: 'Of the file' });
  const scope = scopeAt(home, { source: 'claude', cwd: here });
  const titles = async () => (await listSessions(scope)).map(({ displayName }) => displayName);
  expect(await titles()).toEqual(['Of the file', 'Naïve "plan"']);
  expect((await resolveSession(scope, 'naïve "PLAN"')).session.sessionId).toBe(ONE);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'));
  expect((await listInSdk({ dir: here })).find(({ sessionId }) => sessionId === ONE)?.customTitle).toBe(
    'Naïve "plan"',
  );
  // What was said since pushed it out of sight at the end; the beginning still has one.
  appendFileSync(
    path,
    `${JSON.stringify({ type: 'other', pad: 'x'.repeat(200_000), note: '"custom-title"' })}\n`,
  );
  setAge(path, 10);
  expect(await titles()).toEqual(['Of the file', 'Naïve "plan"']);
  vi.unstubAllEnvs();
});

test.each<[string, string[], string | undefined, string | undefined]>([
  ['by a model', ['ai:Login'], undefined, 'Login'],
  ['by a person, who goes before a model', ['Mine', 'ai:Login'], undefined, 'Mine'],
  [
    'by a person before much was said, and by a model after it',
    ['Mine', 'much', 'ai:Login'],
    undefined,
    'Mine',
  ],
  ['taken back, the model has its own again', ['Mine', 'ai:Login', ''], undefined, 'Login'],
  ['taken back, though a file has it still', ['Mine', ''], 'Of the file', undefined],
  ['in a file, which goes before a model', ['ai:Login'], 'Of the file', 'Of the file'],
])('a title %s', async (_, lines, filed, title) => {
  const home = makeHome();
  const here = join(home, 'here');
  mkdirSync(here);
  const text = lines.map((line) => {
    if (line === 'much') return `${JSON.stringify({ type: 'other', pad: 'x'.repeat(200_000) })}\n`;
    if (!line.startsWith('ai:')) return titleLine(line);
    return `${JSON.stringify({ type: 'ai-title', aiTitle: line.slice(3), sessionId: ONE })}\n`;
  });
  const path = putClaude(home, ONE, here, 10, text.join(''));
  if (filed) put(join(path.slice(0, -'.jsonl'.length), 'custom-title.json'), { customTitle: filed });
  const [session] = await listSessions(scopeAt(home, { source: 'claude', cwd: here }));
  expect(session).toMatchObject({ sessionId: ONE, cwd: here });
  expect(session!.displayName).toBe(title);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'));
  const [inSdk] = await listInSdk({ dir: here });
  vi.unstubAllEnvs();
  expect(inSdk!.customTitle).toBe(title);
});

test('what Claude Code wrote, without the file beside it', async () => {
  const home = makeHome();
  const folder = join(home, '.claude/projects/-home-user-work-tui');
  cpSync(join(FIXTURES, 'claude-code/projects/-home-user-work-tui'), folder, { recursive: true });
  rmSync(join(folder, 'cffc02be-27e5-4d1c-ae94-755482ed1222'), { recursive: true });
  const scope = scopeAt(home, { source: 'claude' });
  expect((await resolveSession(scope, 'My TUI title')).session).toMatchObject({
    sessionId: 'cffc02be-27e5-4d1c-ae94-755482ed1222',
    displayName: 'My TUI title',
  });
});

test('the name of a session of pi', async () => {
  const home = makeHome();
  const info = (name: string) =>
    `${JSON.stringify({ type: 'session_info', id: 'a', parentId: null, name })}\n`;
  put(
    join(home, '.pi/agent/sessions/--w--', `2026-01-01T00-00-00-000Z_${ONE}.jsonl`),
    header(ONE) + info('old') + info('new name'),
  );
  const scope = scopeAt(home, { source: 'pi' });
  expect(await listSessions(scope)).toMatchObject([{ sessionId: ONE, displayName: 'new name' }]);
  expect((await resolveSession(scope, 'new name')).session.sessionId).toBe(ONE);
});

test('clones are distinguished from their original in Claude Code’s own list', async () => {
  const home = makeHome();
  const here = join(home, 'here');
  mkdirSync(here);
  const answer = { type: 'assistant', uuid: uuid('8'), parentUuid: uuid('9'), sessionId: ONE, cwd: here };
  const message = { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };
  putClaude(home, ONE, here, 10, `${JSON.stringify({ ...answer, message })}\n`);
  const clone = async (name: string, ...flags: string[]) => {
    const run = await runOccHere(['clone', name, '--source', 'claude', '--json', ...flags], {
      env: { HOME: home },
      cwd: here,
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(run.stdout).clonedSessionId as string;
  };
  const first = await clone(ONE);
  const cleaned = await clone(ONE, '--strip-tools');
  const second = await clone(first);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'));
  const shown = new Map(
    (await listInSdk({ dir: here })).map(({ sessionId, summary }) => [sessionId, summary]),
  );
  vi.unstubAllEnvs();
  expect([first, cleaned, second, ONE].map((id) => shown.get(id))).toEqual([
    'Fix the login (clone)',
    'Fix the login (cleaned)',
    'Fix the login (clone 2)',
    'Fix the login',
  ]);
  expect(
    (await resolveSession(scopeAt(home, { source: 'claude' }), 'Fix the login (cleaned)')).session.sessionId,
  ).toBe(cleaned);
});
