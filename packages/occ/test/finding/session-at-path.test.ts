import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { FIXTURES, header, makeHome, put, scopeAt, sessionsFolder, uuid } from './home.ts';

const ONE = uuid('1');

test('a path in a known folder gives what the index knows of it', async () => {
  const home = makeHome();
  const path = put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
  put(join(sessionsFolder(home), 'sessions.json'), {
    'agent:main:main': { sessionId: ONE, updatedAt: 1, label: 'work' },
  });
  const expected = { sessionId: ONE, sessionKey: 'agent:main:main', label: 'work', agentId: 'main', path };
  const inFolder = { ...scopeAt(home), cwd: sessionsFolder(home) };
  for (const [scope, name] of [
    [scopeAt(home), path],
    [scopeAt(home), `~/.openclaw/agents/main/sessions/${ONE}.jsonl`],
    [inFolder, `${ONE}.jsonl`],
    [inFolder, `./${ONE}.jsonl`],
    [inFolder, `../../main/sessions/${ONE}.jsonl`],
  ] as const) {
    expect(await resolveSession(scope, name)).toMatchObject({ session: expected, foundBy: 'argument' });
  }
});

test.each([
  ['openclaw-files/2026.7.35/tools-pristine.jsonl', 'openclaw', 'tools-pristine'],
  [
    `pi/2026-11-15T18-15-19-515Z_01a1e06b-bcd9-7616-8d44-c6be777b69ba.jsonl`,
    'pi',
    '01a1e06b-bcd9-7616-8d44-c6be777b69ba',
  ],
  [
    'claude-code/projects/-home-user-work-sess/11111111-1111-4111-8111-111111111111.jsonl',
    'claude',
    '11111111-1111-4111-8111-111111111111',
  ],
])(
  'the source of a file outside all known folders is recognised by its content: %s',
  async (file, source, sessionId) => {
    const { session } = await resolveSession(scopeAt(makeHome()), join(FIXTURES, file));
    expect(session).toMatchObject({ source, sessionId, agentId: null, path: join(FIXTURES, file) });
  },
);

test('a session alone in a folder is known by its header', async () => {
  const home = makeHome();
  put(join(home, 'copy.jsonl'), header(ONE, '/w'));
  const { session } = await resolveSession(scopeAt(home), 'copy.jsonl');
  expect(session).toMatchObject({ source: 'openclaw', sessionId: ONE, agentId: null, cwd: '/w' });
  expect((await resolveSession(scopeAt(home, { source: 'pi' }), 'copy.jsonl')).session.source).toBe('pi');
});

test('the agent of another state folder is recognised by its layout', async () => {
  const home = makeHome();
  const path = put(join(sessionsFolder(home, 'molt', 'other-state'), `${ONE}.jsonl`), header(ONE));
  expect((await resolveSession(scopeAt(home), path)).session).toMatchObject({
    agentId: 'molt',
    source: 'openclaw',
  });
});

test('a link to a state folder leads to its sessions', async () => {
  const home = makeHome();
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
  symlinkSync(join(home, '.openclaw'), join(home, 'link'));
  const path = join(home, 'link/agents/main/sessions', `${ONE}.jsonl`);
  expect((await resolveSession(scopeAt(home), path)).session).toMatchObject({
    sessionId: ONE,
    agentId: 'main',
  });
});

test.each(['none.jsonl', './none', '~/none/none.jsonl', '.openclaw/'])(
  'a path to no file, %s, is an error that names it',
  async (name) => {
    const home = makeHome();
    mkdirSync(join(home, '.openclaw'));
    await expect(resolveSession(scopeAt(home), name)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining(join(home, basename(name) === '.openclaw' ? '.openclaw' : '')),
    });
  },
);

test.each([
  [`${ONE}.backup.3.jsonl`, 'Its session no longer exists'],
  [`${ONE}.trajectory.jsonl`, 'occ list'],
  [`${ONE}.jsonl.reset.2026-11-15T18-14-09.411Z`, 'occ list'],
  [`${ONE}.jsonl.lock`, 'occ list'],
  ['sessions.json', 'occ list'],
])('%s belongs to a session and is not one itself', async (name, hint) => {
  const home = makeHome();
  put(join(home, name), header(ONE));
  await expect(resolveSession(scopeAt(home), `./${name}`)).rejects.toMatchObject({
    code: 'SESSION_UNSUPPORTED',
    hint: expect.stringContaining(hint),
  });
});

test.each(['', 'hello', '{"name":"package"}', '[1]\n[2]\n'])(
  'a file that holds %j is no transcript',
  async (content) => {
    const home = makeHome();
    put(join(home, 'file.jsonl'), content);
    await expect(resolveSession(scopeAt(home), 'file.jsonl')).rejects.toMatchObject({
      code: 'SESSION_UNSUPPORTED',
    });
  },
);

test.each(['', '\u0000\u0000\u0000'])(
  'a transcript that holds %j is a session where sessions are kept',
  async (content) => {
    const home = makeHome();
    const path = put(join(sessionsFolder(home), `${ONE}.jsonl`), content);
    expect((await resolveSession(scopeAt(home), path)).session).toMatchObject({
      sessionId: ONE,
      sizeBytes: content.length,
    });
  },
);

test.each([{ source: 'claude' }, { stateDirFlag: '.' }] as const)(
  'a path does not cross the source that %j asks for',
  async (more) => {
    const home = makeHome();
    const wanted =
      'source' in more
        ? 'pi/legacy-v1.jsonl'
        : 'claude-code/projects/-home-user-work-sess/11111111-1111-4111-8111-111111111111.jsonl';
    await expect(resolveSession(scopeAt(home, more), join(FIXTURES, wanted))).rejects.toMatchObject({
      code: 'USAGE',
    });
  },
);
