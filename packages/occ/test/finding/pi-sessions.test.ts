import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { copyFixture, header, makeHome, put, scopeAt, uuid } from './home.ts';

const ONE = '01a1e06b-bcd9-7616-8d44-c6be777b69ba';

test('sessions of all working folders, by what their headers say', async () => {
  const home = makeHome();
  copyFixture('pi', join(home, '.pi/agent/sessions/--home-user-work-pi.proj_A--'));
  const found = await listSessions(scopeAt(home, { source: 'pi' }));
  const one = found.filter(({ path }) => path.endsWith(`Z_${ONE}.jsonl`));
  expect(one).toMatchObject([
    { sessionId: ONE, agentId: null, source: 'pi', cwd: '/home/user/work/pi.proj_A' },
  ]);
  expect(found.every(({ sessionKey }) => sessionKey === undefined)).toBe(true);
});

test('a file that pi would not open is not listed', async () => {
  const home = makeHome();
  const folder = join(home, '.pi/agent/sessions/--work--');
  put(join(folder, `2026-01-01T00-00-00-000Z_${ONE}.jsonl`), '{"type":"message"}\n');
  put(join(folder, 'notes.jsonl'), '{"note":1}\n');
  put(join(folder, 'settings.json'), '{}');
  put(join(folder, 'backups', `2026-01-01T00-00-00-000Z_${ONE}.backup.1.jsonl`), header(ONE));
  expect(await listSessions(scopeAt(home, { source: 'pi' }))).toEqual([]);
});

test('a renamed file is known by the id in its header', async () => {
  const home = makeHome();
  const folder = join(home, '.pi/agent/sessions/--work--');
  put(join(folder, 'mine.jsonl'), header(uuid('1')));
  const renamed = put(join(folder, `2026-01-01T00-00-00-000Z_${uuid('2')}.jsonl`), header(uuid('3')));
  const scope = scopeAt(home, { source: 'pi' });
  const ids = (await listSessions(scope)).map(({ sessionId }) => sessionId).sort();
  expect(ids).toEqual([uuid('1'), uuid('3')]);
  expect((await resolveSession(scope, uuid('3'))).session.path).toBe(renamed);
});

test('PI_CODING_AGENT_DIR moves the folder', async () => {
  const home = makeHome();
  put(join(home, 'elsewhere/sessions/--work--', `2026-01-01T00-00-00-000Z_${ONE}.jsonl`), header(ONE));
  const scope = scopeAt(home, { source: 'pi', env: { PI_CODING_AGENT_DIR: '~/elsewhere' } });
  expect(await listSessions(scope)).toHaveLength(1);
});

test.each([
  ['PI_CODING_AGENT_SESSION_DIR', { PI_CODING_AGENT_SESSION_DIR: '~/flat' }, undefined],
  ["sessionDir in pi's settings", {}, { sessionDir: '~/flat' }],
])('%s names one folder for all sessions', async (_, env, settings) => {
  const home = makeHome();
  if (settings) put(join(home, '.pi/agent/settings.json'), settings);
  put(join(home, '.pi/agent/sessions/--work--', `2026-01-01T00-00-00-000Z_${uuid('9')}.jsonl`), header(ONE));
  put(join(home, 'flat', `2026-01-01T00-00-00-000Z_${ONE}.jsonl`), header(ONE));
  put(join(home, 'flat', 'backups', `2026-01-01T00-00-00-000Z_${ONE}.backup.1.jsonl`), header(ONE));
  const found = await listSessions(scopeAt(home, { source: 'pi', env }));
  expect(found.map(({ path }) => path)).toEqual([
    join(home, 'flat', `2026-01-01T00-00-00-000Z_${ONE}.jsonl`),
  ]);
});

test("what pi's SessionManager writes is found where it wrote it", async () => {
  const home = makeHome();
  const cwd = join(home, 'my.project');
  mkdirSync(cwd);
  const script = `
    import { SessionManager } from '@earendil-works/pi-coding-agent';
    const manager = SessionManager.create(process.argv[1]);
    manager.appendMessage({ role: 'user', content: 'hello', timestamp: 1 });
    manager.appendMessage({ role: 'assistant', content: [{ type: 'text', text: 'hi' }], timestamp: 2, stopReason: 'stop' });
    console.log(JSON.stringify({ id: manager.getSessionId(), path: manager.getSessionFile() }));`;
  const env = { PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: join(home, 'agent') };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script, cwd], {
    cwd: import.meta.dirname,
    env,
    encoding: 'utf8',
  });
  const { id, path } = JSON.parse(output);
  expect(await listSessions(scopeAt(home, { source: 'pi', env }))).toMatchObject([
    { sessionId: id, path, cwd, source: 'pi' },
  ]);
});
