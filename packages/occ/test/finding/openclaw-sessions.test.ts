import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { copyFixture, header, makeHome, put, scopeAt, sessionsFolder, setAge, uuid } from './home.ts';

const [ONE, TWO, THREE] = [uuid('1'), uuid('2'), uuid('3')];

test('a folder of OpenClaw gives its sessions, and nothing that only belongs to one', async () => {
  const home = makeHome();
  copyFixture('openclaw-files/2026.7.35', sessionsFolder(home));
  const found = await listSessions(scopeAt(home));
  expect(
    found
      .filter(({ missing }) => !missing)
      .map(({ sessionId }) => sessionId)
      .sort(),
  ).toEqual([
    '26b46058-f56a-4f08-b35e-768e400e5bf0',
    '393b2f9e-21b3-4832-bdde-ba00cccf047c',
    '51d04346-6b8a-4bfe-be95-4ac77fbac707',
    '56560425-396f-4c94-ab30-7cd826a767aa',
    '6597ebc8-a090-49c9-8b04-ae8480d54adf',
    'a7e38d01-f39d-4290-81ec-f0e45763b20a',
    'c08003b6-0d03-422c-a73d-4631a34efc6c',
    'compacted-pristine',
    'f486030e-009e-4b3b-9799-a9962d44343d',
    'tools-pristine',
  ]);
  const main = found.find(({ sessionId }) => sessionId.startsWith('c08003b6'));
  expect(main).toMatchObject({
    source: 'openclaw',
    agentId: 'main',
    cwd: '/home/user/ws',
    path: join(sessionsFolder(home), 'c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl'),
  });
});

test('the oldest files too: the index leads to its transcript although the home folder moved', async () => {
  const home = makeHome();
  copyFixture('openclaw-files/2026.1.30', sessionsFolder(home, 'main', '.clawdbot'));
  const found = await listSessions(scopeAt(home));
  const main = found.find(({ sessionKey }) => sessionKey === 'agent:main:main');
  expect(main).toMatchObject({ sessionId: '00d1fa26-b85f-4025-93d9-1e82517447a8', cwd: '/home/user/ws' });
  expect(main?.missing).toBeUndefined();
});

test('what the index says of a session is shown with what its file says', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  const path = put(join(folder, `${ONE}.jsonl`), header(ONE, '/home/ünïcode'));
  setAge(path, 10);
  put(join(folder, 'sessions.json'), {
    'agent:main:telegram:dm:42': { sessionId: ONE, updatedAt: 5, label: 'work', displayName: 'Ada' },
  });
  expect(await listSessions(scopeAt(home))).toEqual([
    {
      sessionId: ONE,
      sessionKey: 'agent:main:telegram:dm:42',
      agentId: 'main',
      source: 'openclaw',
      path,
      cwd: '/home/ünïcode',
      updatedAt: Date.UTC(2026, 0, 1, 0, 0, 10),
      sizeBytes: Buffer.byteLength(header(ONE, '/home/ünïcode')),
      label: 'work',
      displayName: 'Ada',
    },
  ]);
});

test('files that the index does not know are listed; entries whose file is gone are marked', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  setAge(put(join(folder, `${ONE}.jsonl`), header(ONE)), 10);
  put(join(folder, 'sessions.json'), {
    'agent:main:gone': { sessionId: TWO, updatedAt: Date.UTC(2026, 0, 1, 0, 0, 5) },
  });
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ sessionId, sessionKey, missing }) => [sessionId, sessionKey, missing])).toEqual([
    [ONE, undefined, undefined],
    [TWO, 'agent:main:gone', true],
  ]);
  expect(found[1]).toMatchObject({
    path: join(folder, `${TWO}.jsonl`),
    cwd: null,
    sizeBytes: 0,
    updatedAt: Date.UTC(2026, 0, 1, 0, 0, 5),
  });
});

test('newest first, by the time of the transcript and not of the index', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  setAge(put(join(folder, `${ONE}.jsonl`), header(ONE)), 10);
  setAge(put(join(folder, `${TWO}.jsonl`), header(TWO)), 30);
  setAge(put(join(folder, `${THREE}.jsonl`), header(THREE)), 20);
  put(join(folder, 'sessions.json'), {
    'agent:main:a': { sessionId: ONE, updatedAt: Date.UTC(2030, 0, 1) },
    'agent:main:b': { sessionId: TWO, updatedAt: 1 },
  });
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ sessionId }) => sessionId)).toEqual([TWO, THREE, ONE]);
});

test('topics have transcripts of their own under the id of their session', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  put(join(folder, `${ONE}.jsonl`), header(ONE));
  const topic = put(join(folder, `${ONE}-topic-42.jsonl`), header(ONE));
  put(join(folder, 'sessions.json'), {
    'agent:main:telegram:group:-100:topic:42': { sessionId: ONE, updatedAt: 5, sessionFile: topic },
  });
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ sessionId, path, sessionKey }) => [sessionId, path, sessionKey]).sort()).toEqual([
    [ONE, topic, 'agent:main:telegram:group:-100:topic:42'],
    [ONE, join(folder, `${ONE}.jsonl`), undefined],
  ]);
});

test('two keys for one transcript are one session, under the key used last', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  put(join(folder, `${ONE}.jsonl`), header(ONE));
  put(join(folder, 'sessions.json'), {
    main: { sessionId: ONE, updatedAt: 5, label: 'old' },
    'agent:main:main': { sessionId: ONE, updatedAt: 9 },
  });
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ sessionKey, label }) => [sessionKey, label])).toEqual([['agent:main:main', 'old']]);
});

test('an entry never leads out of the folder', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  const secret = put(join(home, 'secret.jsonl'), header(ONE, '/secret'));
  put(join(folder, 'sessions.json'), {
    'agent:main:a': { sessionId: ONE, updatedAt: 5, sessionFile: secret },
    'agent:main:b': { sessionId: '../../../../secret', updatedAt: 6 },
    'agent:main:c': { sessionId: TWO, updatedAt: 7, sessionFile: '../../../../secret.jsonl' },
    'agent:main:d': { updatedAt: 8 },
    'agent:main:e': 'no entry',
  });
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ path, missing }) => [path, missing])).toEqual([
    [join(folder, `${TWO}.jsonl`), true],
    [join(folder, `${ONE}.jsonl`), true],
  ]);
});

test.each(['{"agent:main:a": {"sessionId"', '', '[]', 'null'])(
  'an index that holds %j is an error that names it, not an empty list',
  async (content) => {
    const home = makeHome();
    const folder = sessionsFolder(home);
    put(join(folder, `${ONE}.jsonl`), header(ONE));
    put(join(folder, 'sessions.json'), content);
    const warned: unknown[] = [];
    const scope = scopeAt(home, { warn: (fault) => void warned.push(fault) });
    const [found, ...others] = await listSessions(scope);
    expect([found?.sessionId, found?.sessionKey, others]).toEqual([ONE, undefined, []]);
    expect(warned).toMatchObject([
      {
        code: expect.stringMatching(/^STORE_/),
        message: expect.stringContaining(join(folder, 'sessions.json')),
        hint: expect.stringContaining('by id or path'),
      },
    ]);
  },
);

test('a folder with the name of the index is an error', async () => {
  const home = makeHome();
  mkdirSync(join(sessionsFolder(home), 'sessions.json'), { recursive: true });
  await expect(listSessions(scopeAt(home))).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
});

test('a file with the name of the sessions folder is an error, not an empty list', async () => {
  const home = makeHome();
  put(sessionsFolder(home), 'no folder');
  await expect(listSessions(scopeAt(home))).rejects.toMatchObject({
    code: 'TRANSCRIPT_UNREADABLE',
    message: expect.stringContaining(sessionsFolder(home)),
  });
});

test('odd things in the folder do not keep the others from being listed', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  put(join(folder, `${ONE}.jsonl`), `not json\n${header(ONE, '/a')}`);
  put(join(folder, `${TWO}.jsonl`), '');
  put(join(folder, `${THREE}.jsonl`), `${'{"type":"message","message":{"role":"user"}}\n'.repeat(200)}`);
  mkdirSync(join(folder, `${uuid('4')}.jsonl`));
  symlinkSync(join(folder, 'nowhere'), join(folder, `${uuid('5')}.jsonl`));
  put(join(folder, `${ONE}.backup.1.jsonl`), header(ONE));
  put(join(folder, 'backups', `${ONE}.backup.2.jsonl`), header(ONE));
  put(join(folder, `${ONE}.occ.json`), '{}');
  put(join(folder, `${ONE}.jsonl.lock`), '{}');
  put(join(folder, `${ONE}.checkpoint.${TWO}.jsonl`), header(ONE));
  const found = await listSessions(scopeAt(home));
  expect(Object.fromEntries(found.map(({ sessionId, cwd }) => [sessionId, cwd]))).toEqual({
    [ONE]: '/a',
    [TWO]: null,
    [THREE]: null,
  });
});

test('a header longer than the first look is read to its end', async () => {
  const home = makeHome();
  const cwd = `/deep/${'folder/'.repeat(3000)}`;
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE, cwd));
  expect((await listSessions(scopeAt(home)))[0]?.cwd).toBe(cwd);
});
