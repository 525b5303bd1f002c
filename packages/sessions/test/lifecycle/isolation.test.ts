import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  appendAssistantMessageToSessionTranscript,
  compactSession,
  createTranscript,
  deleteSession,
  forkSessionFromParent,
  incrementCompactionCount,
  initSessionState,
  markMemoryFlushed,
  persistSessionUsageUpdate,
  pruneSessions,
  recordSessionMetaFromInbound,
  resetSession,
  resolveSession,
  setSdkSessionId,
  updateLastRoute,
} from '../../src/index.ts';
import { NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const OWN = 'agent:main:main';
let secret: string;
let others: () => string;

beforeEach(async () => {
  const folder = join(agent.stateDir, 'agents', 'other', 'sessions');
  secret = join(folder, 'secret.jsonl');
  agent.writeStore({ 'agent:other:main': { sessionId: 'secret', updatedAt: 1 } }, 'other');
  await createTranscript({ path: secret, sessionId: 'secret', cwd: '/', now: () => NOW });
  others = () =>
    JSON.stringify(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
});

type Call = (storePath: string, sessionKey: string) => Promise<unknown>;

const calls: Record<string, Call> = {
  initSessionState: (storePath, SessionKey) =>
    initSessionState({ ctx: { SessionKey, Body: '/new', CommandAuthorized: true }, cfg: {}, storePath }),
  resetSession: (storePath, sessionKey) => resetSession({ storePath, sessionKey, cwd: '/' }),
  deleteSession: (storePath, sessionKey) => deleteSession({ storePath, sessionKey }),
  compactSession: (storePath, sessionKey) => compactSession({ storePath, sessionKey, maxLines: 1 }),
  resolveSession: (storePath, sessionKey) => resolveSession({ storePath, sessionKey }),
  setSdkSessionId: (storePath, sessionKey) => setSdkSessionId({ storePath, sessionKey, sdkSessionId: 'x' }),
  markMemoryFlushed: (storePath, sessionKey) => markMemoryFlushed({ storePath, sessionKey }),
  updateLastRoute: (storePath, sessionKey) => updateLastRoute({ storePath, sessionKey, channel: 'x' }),
  recordSessionMetaFromInbound: (storePath, sessionKey) =>
    recordSessionMetaFromInbound({ storePath, sessionKey, ctx: {} }),
  persistSessionUsageUpdate: (storePath, sessionKey) =>
    persistSessionUsageUpdate({ storePath, sessionKey, usage: { input: 1 } }),
  incrementCompactionCount: (storePath, sessionKey) => incrementCompactionCount({ storePath, sessionKey }),
  appendAssistantMessageToSessionTranscript: async (storePath, sessionKey) => {
    const outcome = await appendAssistantMessageToSessionTranscript({ storePath, sessionKey, text: 'x' });
    if (!outcome.ok) throw Object.assign(new Error(outcome.reason), { code: outcome.code });
  },
};

describe.each(Object.entries(calls))('%s', (_, call) => {
  it('refuses a key of another agent', async () => {
    const before = others();
    await expect(call(agent.storePath, 'agent:other:main')).rejects.toMatchObject({ code: 'AGENT_MISMATCH' });
    const around = join(agent.folder, '..', '..', 'other', 'sessions', 'sessions.json');
    await expect(call(around, OWN)).rejects.toMatchObject({ code: 'AGENT_MISMATCH' });
    expect(others()).toBe(before);
  });

  it('refuses invalid keys', async () => {
    for (const key of [
      'agent:../other:main',
      'agent:',
      'agent:a/b:main',
      '__proto__',
      'a\0b',
      'x'.repeat(2000),
    ]) {
      await expect(call(agent.storePath, key)).rejects.toMatchObject({ code: 'INVALID_SESSION_KEY' });
    }
    expect(agent.files()).toEqual([]);
  });
});

const viaFile: [string, (folder: string) => string][] = [
  ['an absolute path', () => secret],
  ['a relative path', () => '../../other/sessions/secret.jsonl'],
  [
    'a link in the folder',
    (folder) => {
      symlinkSync(secret, join(folder, 'link.jsonl'));
      return join(folder, 'link.jsonl');
    },
  ],
  [
    'a linked folder',
    (folder) => {
      symlinkSync(join(secret, '..'), join(folder, 'sub'));
      return join(folder, 'sub', 'secret.jsonl');
    },
  ],
];

describe.each(viaFile)('an entry whose file leads to another agent by %s', (_, make) => {
  beforeEach(() => {
    mkdirSync(agent.folder, { recursive: true });
    agent.writeStore({ [OWN]: { sessionId: 'own', updatedAt: Date.now(), sessionFile: make(agent.folder) } });
  });

  it('is neither resumed, nor forked, nor shortened, nor written to', async () => {
    const before = others();
    const refused = { code: 'PATH_ESCAPES_FOLDER' };
    const ctx = { SessionKey: OWN, Body: 'hi' };
    await expect(initSessionState({ ctx, cfg: {}, storePath: agent.storePath })).rejects.toMatchObject(
      refused,
    );
    await expect(calls.compactSession!(agent.storePath, OWN)).rejects.toMatchObject(refused);
    await expect(
      calls.appendAssistantMessageToSessionTranscript!(agent.storePath, OWN),
    ).rejects.toMatchObject(refused);
    const parentEntry = agent.entry();
    await expect(forkSessionFromParent({ parentEntry, storePath: agent.storePath })).rejects.toMatchObject(
      refused,
    );
    expect(others()).toBe(before);
  });

  it('a reset leads back into the own folder and leaves that file alone', async () => {
    const before = others();
    const { sessionEntry, archived } = await resetSession({
      storePath: agent.storePath,
      sessionKey: OWN,
      newId: () => 'fresh',
    });
    expect(sessionEntry.sessionFile).toBe(agent.path('fresh.jsonl'));
    expect(archived).toEqual([]);
    expect(others()).toBe(before);
  });

  it('so do deletion and pruning', async () => {
    const before = others();
    expect(await deleteSession({ storePath: agent.storePath, sessionKey: OWN })).toMatchObject({
      deleted: true,
      archived: [],
    });
    agent.writeStore({ 'agent:main:dm:1': { sessionId: 'own', updatedAt: 1, sessionFile: secret } });
    await pruneSessions({ storePath: agent.storePath });
    expect(agent.readStore()).toEqual({});
    expect(others()).toBe(before);
  });
});

const linked: [string, () => void][] = [
  [
    'its sessions folder',
    () => {
      mkdirSync(join(agent.folder, '..'), { recursive: true });
      symlinkSync('../other/sessions', agent.folder);
    },
  ],
  ['its whole folder', () => symlinkSync('other', join(agent.stateDir, 'agents', 'main'))],
  [
    'a folder within that of the other one',
    () => {
      mkdirSync(join(agent.folder, '..'), { recursive: true });
      symlinkSync('../other', agent.folder);
    },
  ],
];

describe.each(linked)('an agent that has another one’s files by a link in place of %s', (_, link) => {
  it('reaches them by no call', async () => {
    link();
    const before = others();
    const refused = { code: 'AGENT_MISMATCH' };
    for (const call of Object.values(calls)) {
      await expect(call(agent.storePath, OWN)).rejects.toMatchObject(refused);
      await expect(call(agent.storePath, 'agent:other:main')).rejects.toMatchObject(refused);
    }
    const { storePath } = agent;
    await expect(pruneSessions({ storePath })).rejects.toMatchObject(refused);
    const parentEntry = { sessionId: 'secret' };
    await expect(forkSessionFromParent({ parentEntry, storePath })).rejects.toMatchObject(refused);
    expect(others()).toBe(before);
  });
});

it('a link from elsewhere leads to the agent whose files it names', async () => {
  const link = join(agent.stateDir, 'link');
  symlinkSync(join(secret, '..'), link);
  const storePath = join(link, 'sessions.json');
  expect(await resolveSession({ storePath, sessionKey: 'main' })).toMatchObject({ key: 'agent:other:main' });
  await expect(resolveSession({ storePath, sessionKey: OWN })).rejects.toMatchObject({
    code: 'AGENT_MISMATCH',
  });
});

it('a state folder, an agents folder and a sessions folder may be elsewhere', async () => {
  const away = join(agent.stateDir, 'away');
  mkdirSync(join(agent.folder, '..'), { recursive: true });
  mkdirSync(join(away, 'agents', 'main'), { recursive: true });
  mkdirSync(join(away, 'data'));
  symlinkSync(join(away, 'data'), agent.folder);
  const whole = join(agent.stateDir, 'whole');
  symlinkSync(away, whole);
  for (const stateDir of [agent.stateDir, whole]) {
    const result = await initSessionState({ ctx: { SessionKey: OWN }, cfg: {}, stateDir });
    expect(result).toMatchObject({ isNewSession: true });
  }
});

it('an invalid parent is refused', async () => {
  const parentEntry = null as unknown as { sessionId: string };
  await expect(forkSessionFromParent({ parentEntry, storePath: agent.storePath })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

it('an agent named beside the path must be its owner', async () => {
  const params = { storePath: agent.storePath, agentId: 'other', sessionKey: 'agent:other:main' };
  await expect(resetSession(params)).rejects.toMatchObject({ code: 'AGENT_MISMATCH' });
  await expect(resetSession({ ...params, agentId: '../other' })).rejects.toMatchObject({
    code: 'PATH_ESCAPES_FOLDER',
  });
  await expect(resetSession({ ...params, storePath: ' ' })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

it('a store that agents share serves the keys of all, and agentId limits a call to one', async () => {
  const storePath = join(agent.stateDir, 'shared.json');
  for (const SessionKey of ['agent:main:main', 'agent:other:main']) {
    const result = await initSessionState({ ctx: { SessionKey }, cfg: { session: { store: storePath } } });
    expect(result).toMatchObject({ sessionKey: SessionKey, isNewSession: true, storePath });
  }
  await expect(
    resetSession({ storePath, agentId: 'main', sessionKey: 'agent:other:main' }),
  ).rejects.toMatchObject({ code: 'AGENT_MISMATCH' });
});

it('an invalid clock is refused before anything is written', async () => {
  const now = () => Number.NaN;
  await expect(
    initSessionState({ ctx: { Body: 'hi' }, cfg: {}, storePath: agent.storePath, now }),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(agent.readStore()).toEqual({});
});
