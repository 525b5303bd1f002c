import { describe, expect, it } from 'vitest';
import {
  appendAssistantMessageToSessionTranscript,
  deleteSession,
  initSessionState,
  openMemorySessionStore,
  persistSessionUsageUpdate,
  resolveSession,
  updateLastRoute,
} from '../../src/index.ts';
import { countingIds, NOW, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const stored = { sessionId: 'old', updatedAt: NOW };
const init = (SessionKey: string | undefined, mainKey?: string, ParentSessionKey?: string) =>
  initSessionState({
    ctx: { SessionKey, ParentSessionKey, Body: 'hi' },
    cfg: { session: { mainKey } },
    stateDir: agent.stateDir,
    now: () => NOW,
    newId: countingIds(),
  });

describe.each([
  ['main', 'agent:main:main', undefined],
  ['Main', 'main', undefined],
  ['agent:main:main', 'main', undefined],
  ['main', 'agent:main:work', 'work'],
  ['work', 'agent:main:work', 'work'],
  ['agent:main:main', 'agent:main:work', 'work'],
  ['agent:main:work', 'agent:main:main', 'work'],
  ['work', 'main', 'work'],
])('%s, stored as %s', (sessionKey, key, mainKey) => {
  it('is found by every call', async () => {
    await agent.talk('old', ['one']);
    agent.writeStore({ [key]: stored });
    const place = { storePath: agent.storePath, sessionKey, mainKey };
    expect(await init(sessionKey, mainKey)).toMatchObject({ sessionKey: key, sessionId: 'old' });
    expect(await resolveSession(place)).toMatchObject({ key });
    await persistSessionUsageUpdate({ ...place, usage: { input: 7 } });
    await updateLastRoute({ ...place, channel: 'telegram' });
    expect(agent.entry(key)).toMatchObject({ totalTokens: 7, lastChannel: 'telegram' });
    expect(await appendAssistantMessageToSessionTranscript({ ...place, text: 'two' })).toMatchObject({
      ok: true,
    });
    expect(Object.keys(agent.readStore())).toEqual([key]);
    expect(await deleteSession(place)).toMatchObject({ deleted: true, sessionKey: key });
    expect(agent.readStore()).toEqual({});
  });

  it('can be the parent of a thread', async () => {
    await agent.talk('old', ['one', 'two']);
    agent.writeStore({ [key]: stored });
    const thread = await init('agent:main:slack:channel:c1:thread:1', mainKey, sessionKey);
    expect(readWithPi(thread.sessionEntry.sessionFile!)).toEqual(['user: one', 'assistant: two']);
  });
});

it('a message without a key goes to the session that was there before a main key was configured', async () => {
  agent.writeStore({ 'agent:main:main': stored });
  expect(await init(undefined, 'work')).toMatchObject({ sessionKey: 'agent:main:main', isNewSession: false });
});

it('of the other agent’s, nothing is found', async () => {
  agent.writeStore({ main: stored }, 'codex');
  const codex = { storePath: agent.storePathOf('codex'), sessionKey: 'agent:codex:main' };
  expect(await resolveSession(codex)).toMatchObject({ key: 'main' });
  // A store that agents share: what names no agent is of the agent that is called so.
  const store = openMemorySessionStore();
  await store.update('main', () => stored);
  const shared = { storePath: `${agent.stateDir}/shared.json`, store };
  await expect(resolveSession({ ...shared, ...codex, storePath: shared.storePath })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  expect(await resolveSession({ ...shared, sessionKey: 'agent:main:main' })).toMatchObject({ key: 'main' });
});
