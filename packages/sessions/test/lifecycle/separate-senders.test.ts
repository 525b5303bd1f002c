/** Senders whose ids differ by case had one session: its key was in lower case. */
import { expect, it } from 'vitest';
import type { IdentityLinks } from '../../src/exports/key.ts';
import {
  buildAgentPeerSessionKey,
  initSessionState,
  type MsgContext,
  openMemorySessionStore,
} from '../../src/index.ts';
import { buildThreadSessionKey } from '../../src/key/thread.ts';
import { countingIds, NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const FORMER = 'agent:main:webhook:dm:me';

async function open(from: string, key = FORMER, more: object = {}, identityLinks?: IdentityLinks) {
  const store = openMemorySessionStore();
  const origin = { provider: 'webhook', from, ...more };
  await store.update(key, () => ({ sessionId: 'former', updatedAt: NOW, systemSent: true, origin }) as never);
  const newId = countingIds();
  const write = async (ctx: MsgContext) => {
    const { sessionId, sessionKey } = await initSessionState({
      ctx: { Body: 'hi', Provider: 'webhook', ...ctx },
      cfg: { session: { identityLinks } },
      stateDir: agent.stateDir,
      store,
      now: () => NOW,
      newId,
      timeZone: 'UTC',
    });
    return [sessionKey, sessionId];
  };
  const keyOf = (peerId: string) =>
    buildAgentPeerSessionKey({
      agentId: 'main',
      channel: 'webhook',
      peerId,
      dmScope: 'per-channel-peer',
      identityLinks,
    });
  const by = (peerId: string) =>
    write({ From: `webhook:${peerId}`, ChatType: 'direct', SessionKey: keyOf(peerId) });
  return { store, write, by };
}

it('who had it last goes on in it, under a key of their own', async () => {
  const { store, by } = await open('webhook:ME');
  expect(await by('ME')).toEqual(['agent:main:webhook:dm:%4d%45', 'former']);
  expect(await store.get(FORMER)).toBeUndefined();
  expect(await by('me')).toEqual([FORMER, 'id-1']);
  expect(await by('ME')).toEqual(['agent:main:webhook:dm:%4d%45', 'former']);
  expect(await by('Me')).toEqual(['agent:main:webhook:dm:%4de', 'id-2']);
});

it('nobody goes on in the session of another, whoever writes first', async () => {
  const { by } = await open('webhook:ME');
  expect(await by('me')).toEqual([FORMER, 'id-1']);
  expect(await by('ME')).toEqual(['agent:main:webhook:dm:%4d%45', 'former']);
});

it('that of an id in lower case stays where it is', async () => {
  const { by } = await open('webhook:me');
  expect(await by('ME')).toEqual(['agent:main:webhook:dm:%4d%45', 'id-1']);
  expect(await by('me')).toEqual([FORMER, 'former']);
});

it('a message that was routed before goes on in it', async () => {
  const { write } = await open('webhook:ME');
  expect(await write({ From: 'webhook:ME', SessionKey: FORMER })).toEqual([FORMER, 'former']);
});

it('a message that no person wrote moves nothing', async () => {
  const { write } = await open('webhook:ME');
  expect(await write({ SessionKey: FORMER })).toEqual([FORMER, 'former']);
});

it('a person of the links keeps the session of their name', async () => {
  const { by } = await open('webhook:ME', FORMER, {}, { me: ['webhook:ME', 'webhook:me'] });
  expect(await by('me')).toEqual([FORMER, 'former']);
  expect(await by('ME')).toEqual([FORMER, 'former']);
});

it('groups and their threads too', async () => {
  const former = 'agent:main:webhook:group:crew:thread:t1';
  const { write } = await open('webhook:group:Crew', former, { threadId: 'T1' });
  const group = buildAgentPeerSessionKey({
    agentId: 'main',
    channel: 'webhook',
    peerKind: 'group',
    peerId: 'Crew',
  });
  const key = buildThreadSessionKey(group, 'T1');
  const ctx = { From: 'webhook:group:Crew', ChatType: 'group', MessageThreadId: 'T1', SessionKey: key };
  expect(await write(ctx)).toEqual(['agent:main:webhook:group:%43rew:thread:%541', 'former']);
});
