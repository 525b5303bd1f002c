import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  initSessionState,
  openFileSessionStore,
  persistSessionUsageUpdate,
  recordSessionMetaFromInbound,
} from '../../src/index.ts';
import { NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';
const diskFull = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

it('a disk that takes no more leaves transcript and entry as they were, and nothing half-written', async () => {
  const path = await agent.talk(
    's',
    Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(1000)}`),
  );
  agent.writeStore({ [KEY]: { sessionId: 's', updatedAt: 1 } });
  const before = [readFileSync(path), readFileSync(agent.storePath)];
  const script = fileURLToPath(new URL('./children/refused-write.ts', import.meta.url));
  // 64 KB: room for locks and the store, none for a copy of the transcript.
  const limited = spawnSync('bash', [
    '-c',
    'ulimit -f 64 && exec "$@"',
    'bash',
    process.execPath,
    script,
    agent.storePath,
    KEY,
  ]);
  expect(limited.stdout.toString()).toBe('TRANSCRIPT_WRITE_FAILED TRANSCRIPT_WRITE_FAILED\n');
  expect([readFileSync(path), readFileSync(agent.storePath)]).toEqual(before);
  expect(agent.files()).toEqual(['s.jsonl']);
});

it('a store that cannot be written: the session goes on, and its transcript keeps its name', async () => {
  await agent.talk('s', ['one']);
  agent.writeStore({ [KEY]: { sessionId: 's', updatedAt: NOW } });
  const before = readFileSync(agent.storePath);
  const store = openFileSessionStore(agent.storePath, { io: { write: () => Promise.reject(diskFull) } });
  const init = () =>
    initSessionState({
      ctx: { Body: '/new', CommandAuthorized: true },
      cfg: {},
      storePath: agent.storePath,
      store,
      now: () => NOW,
    });
  await expect(init()).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
  expect(readFileSync(agent.storePath)).toEqual(before);
  expect(agent.files()).toEqual(['s.jsonl']);
});

it('a store that fails after the reset: the mark stays, and the next call finishes', async () => {
  await agent.talk('s', ['one']);
  agent.writeStore({ [KEY]: { sessionId: 's', updatedAt: NOW } });
  let writes = 0;
  const store = openFileSessionStore(agent.storePath, {
    io: {
      write: (handle, data) => (writes++ === 0 ? handle.writeFile(data) : Promise.reject(diskFull)),
    },
  });
  const failures: Error[] = [];
  const params = { cfg: {}, storePath: agent.storePath, now: () => NOW };
  const first = await initSessionState({
    ...params,
    ctx: { Body: '/new', CommandAuthorized: true },
    store,
    onArchiveFailure: (error) => failures.push(error),
  });
  expect(failures).toMatchObject([{ code: 'STORE_WRITE_FAILED' }]);
  expect(agent.files()).toEqual(['s.jsonl.reset.2026-03-10T12-00-00.000Z']);
  const second = await initSessionState({ ...params, ctx: { Body: 'hi' } });
  expect(second.sessionId).toBe(first.sessionId);
  expect(agent.entry()).not.toHaveProperty('pendingArchives');
});

it.each([
  ['null', 'STORE_NOT_AN_OBJECT'],
  ['[]', 'STORE_NOT_AN_OBJECT'],
  ['', 'STORE_PARSE_FAILED'],
  ['{"agent:main:main": 7}', 'STORE_ENTRY_INVALID'],
])('a store that holds %j is never started over', async (content, code) => {
  agent.writeStore({});
  writeFileSync(agent.storePath, content);
  const { storePath } = agent;
  const ctx = { SessionKey: KEY, Body: '/new', CommandAuthorized: true };
  const thread = { SessionKey: `${KEY}:thread:1`, ParentSessionKey: KEY, Body: 'hi' };
  const refused = { code };
  await expect(initSessionState({ ctx, cfg: {}, storePath })).rejects.toMatchObject(refused);
  if (code !== 'STORE_ENTRY_INVALID') {
    await expect(initSessionState({ ctx: thread, cfg: {}, storePath })).rejects.toMatchObject(refused);
  }
  await expect(
    persistSessionUsageUpdate({ storePath, sessionKey: KEY, usage: { input: 1 } }),
  ).rejects.toMatchObject(refused);
  await expect(recordSessionMetaFromInbound({ storePath, sessionKey: KEY, ctx: {} })).rejects.toMatchObject(
    refused,
  );
  expect(readFileSync(storePath, 'utf8')).toBe(content);
  expect(agent.files()).toEqual([]);
});
