import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { copyFixture, makeHome, put, scopeAt, setAge, uuid } from './home.ts';

const [ONE, TWO] = [uuid('1'), uuid('2')];

function line(sessionId: string, cwd: string, text = 'hello'): string {
  return `${JSON.stringify({ parentUuid: null, type: 'user', message: { role: 'user', content: text }, uuid: uuid('a'), cwd, sessionId })}\n`;
}

test('transcripts of all projects; files in deeper folders belong to one of them', async () => {
  const home = makeHome();
  copyFixture('claude-code/projects', join(home, '.claude/projects'));
  const found = await listSessions(scopeAt(home, { source: 'claude' }));
  const cwds = Object.fromEntries(found.map(({ sessionId, cwd }) => [sessionId, cwd]));
  expect(cwds).toMatchObject({
    '11111111-1111-4111-8111-111111111111': '/home/user/work/sess',
    'cffc02be-27e5-4d1c-ae94-755482ed1222': '/home/user/work/tui',
    'aaaa0001-0000-4000-8000-000000000000': '/home/user/work/types',
    'aaaa0002-0000-4000-8000-000000000000': '/home/user/work/types',
  });
  expect(found.some(({ path }) => path.includes('subagents'))).toBe(false);
  expect(found.every(({ source, agentId }) => source === 'claude' && agentId === null)).toBe(true);
});

test('the title that a person gave is shown', async () => {
  const home = makeHome();
  copyFixture('claude-code/projects', join(home, '.claude/projects'));
  const found = await listSessions(scopeAt(home, { source: 'claude' }));
  const titled = found.filter(({ displayName }) => displayName !== undefined);
  expect(titled.map(({ sessionId, displayName }) => [sessionId, displayName])).toEqual([
    ['cffc02be-27e5-4d1c-ae94-755482ed1222', 'My TUI title'],
  ]);
});

test('the folder comes from the lines, since names of project folders collide', async () => {
  const home = makeHome();
  const folder = join(home, '.claude/projects/-work-col-x');
  setAge(put(join(folder, `${ONE}.jsonl`), line(ONE, '/work/col.x')), 1);
  setAge(put(join(folder, `${TWO}.jsonl`), line(TWO, '/work/col_x')), 2);
  const found = await listSessions(scopeAt(home, { source: 'claude' }));
  expect(found.map(({ cwd }) => cwd)).toEqual(['/work/col_x', '/work/col.x']);
});

test('a folder that only a later line names, behind long ones', async () => {
  const home = makeHome();
  const long = `${JSON.stringify({ type: 'attachment', sessionId: ONE, content: 'x'.repeat(20_000) })}\n`;
  put(join(home, '.claude/projects/-w', `${ONE}.jsonl`), `${long}${long}${line(ONE, '/w')}`);
  expect((await listSessions(scopeAt(home, { source: 'claude' })))[0]?.cwd).toBe('/w');
});

test('only files that are named by a session id are sessions', async () => {
  const home = makeHome();
  const folder = join(home, '.claude/projects/-w');
  put(join(folder, `${ONE}.jsonl`), line(ONE, '/w'));
  put(join(folder, `${ONE}.backup.1.jsonl`), line(ONE, '/w'));
  put(join(folder, 'backups', `${ONE}.backup.2.jsonl`), line(ONE, '/w'));
  put(join(folder, 'agent-a2afa093.jsonl'), line(ONE, '/w'));
  put(join(folder, 'memory/notes.jsonl'), line(ONE, '/w'));
  put(join(home, '.claude/projects', `${TWO}.jsonl`), line(TWO, '/w'));
  const found = await listSessions(scopeAt(home, { source: 'claude' }));
  expect(found.map(({ sessionId }) => sessionId)).toEqual([ONE]);
});

test('CLAUDE_CONFIG_DIR moves the folder', async () => {
  const home = makeHome();
  put(join(home, 'config/projects/-w', `${ONE}.jsonl`), line(ONE, '/w'));
  const scope = scopeAt(home, { source: 'claude', env: { CLAUDE_CONFIG_DIR: join(home, 'config') } });
  expect(await listSessions(scope)).toHaveLength(1);
});
