/** Senders whose ids differ by case or by spaces at their end had one session: its key was in lower case. */
import { expect, it } from 'vitest';
import type { IdentityLinks } from '../../src/exports/key.ts';
import {
  buildAgentPeerSessionKey,
  initSessionState,
  type MsgContext,
  openMemorySessionStore,
  recordSessionMetaFromInbound,
  type SessionEntry,
} from '../../src/index.ts';
import { buildThreadSessionKey } from '../../src/key/thread.ts';
import { countingIds, NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const ELSEWHERE = 'agent:main:elsewhere';

function open(channel: string, identityLinks?: IdentityLinks) {
  const store = openMemorySessionStore();
  const newId = countingIds();
  const write = async (ctx: MsgContext) => {
    const { sessionId, sessionKey } = await initSessionState({
      ctx: { Body: 'hi', Provider: channel, ...ctx },
      cfg: { session: { identityLinks } },
      stateDir: agent.stateDir,
      store,
      now: () => NOW,
      newId,
      timeZone: 'UTC',
      onForkFailure: () => {},
    });
    return [sessionKey, sessionId];
  };
  /** What a former version kept: the message, under the key in lower case, without `exactFrom`. */
  const wroteBefore = async (key: string, ctx: MsgContext) => {
    await write({ ...ctx, SessionKey: ELSEWHERE });
    const kept = (await store.get(ELSEWHERE))!;
    const origin = { ...kept.origin, exactFrom: undefined };
    const entry: SessionEntry = { ...kept, sessionId: 'former', origin };
    await store.delete(ELSEWHERE);
    await store.update(key, () => entry);
  };
  const keyOf = (peerId: string, peerKind: 'dm' | 'group' = 'dm') =>
    buildAgentPeerSessionKey({
      agentId: 'main',
      channel,
      peerId,
      peerKind,
      dmScope: 'per-channel-peer',
      identityLinks,
    });
  const by = (peerId: string, SessionKey = keyOf(peerId)) =>
    write({ From: `${channel}:${peerId}`, ChatType: 'direct', SessionKey });
  const wasBy = (peerId: string) =>
    wroteBefore(`agent:main:${channel}:dm:me`, { From: `${channel}:${peerId}`, ChatType: 'direct' });
  return { store, write, wroteBefore, by, wasBy, keyOf };
}

const FORMER = 'agent:main:matrix:dm:me';
const OF_ME = 'agent:main:matrix:dm:%4d%45';

it('who had it last goes on in it, under a key of their own', async () => {
  const { store, by, wasBy } = open('matrix');
  await wasBy('ME');
  expect(await by('ME')).toEqual([OF_ME, 'former']);
  expect(await store.get(FORMER)).toBeUndefined();
  expect(await by('me')).toEqual([FORMER, 'id-2']);
  expect(await by('ME')).toEqual([OF_ME, 'former']);
  expect(await by('Me')).toEqual(['agent:main:matrix:dm:%4de', 'id-3']);
});

it('nobody goes on in the session of another, whoever writes first', async () => {
  const { by, wasBy } = open('matrix');
  await wasBy('ME');
  expect(await by('me')).toEqual([FORMER, 'id-2']);
  expect(await by('ME')).toEqual([OF_ME, 'former']);
});

it('that of an id in lower case stays where it is', async () => {
  const { by, wasBy } = open('matrix');
  await wasBy('me');
  expect(await by('ME')).toEqual([OF_ME, 'id-2']);
  expect(await by('me')).toEqual([FORMER, 'former']);
});

it('a message that was routed under the former key goes to the session of its sender', async () => {
  const { by, wasBy } = open('matrix');
  await wasBy('ME');
  expect(await by('ME', FORMER)).toEqual([OF_ME, 'former']);
  expect(await by('ME', FORMER)).toEqual([OF_ME, 'former']);
  expect(await by('me')).toEqual([FORMER, 'id-2']);
  expect(await by('ME', FORMER)).toEqual([OF_ME, 'former']);
});

it('an entry of one whose own key has a session already goes to nobody', async () => {
  const { store, by, wasBy } = open('matrix');
  expect(await by('ME')).toEqual([OF_ME, 'id-1']);
  await wasBy('ME');
  expect(await by('me')).toEqual([FORMER, 'id-3']);
  expect(await by('ME')).toEqual([OF_ME, 'id-1']);
  expect(await store.get('agent:main:clone:former')).toMatchObject({ sessionId: 'former' });
});

it.each([
  ['me', ['former', 'id-2', 'id-3']],
  ['me ', ['former', 'id-2', 'id-3']],
  ['ME', ['id-2', 'id-3', 'former']],
  ['ME  ', ['id-2', 'id-3', 'former']],
])(
  'that of "%s", which was kept without spaces at its end, goes to the id without them',
  async (id, kept) => {
    const { by, wasBy } = open('webhook');
    await wasBy(id);
    expect([await by('me'), await by('me '), await by('ME')]).toEqual([
      ['agent:main:webhook:dm:me', kept[0]],
      ['agent:main:webhook:dm:me%20', kept[1]],
      ['agent:main:webhook:dm:%4d%45', kept[2]],
    ]);
  },
);

it('one whose id was cut goes to nobody, and one that names no sender is that of its key', async () => {
  const { store, by } = open('matrix');
  const long = `me${'x'.repeat(300)}`;
  const key = `agent:main:matrix:dm:${long}`;
  const origin = { provider: 'matrix', from: `matrix:${long}`.slice(0, 200) };
  await store.update(key, () => ({ sessionId: 'cut', updatedAt: NOW, origin }) as never);
  expect(await by(long)).toEqual([key, 'id-1']);
  const nameless = { sessionId: 'nameless', updatedAt: NOW, lastChannel: 'matrix', lastTo: 'matrix:me' };
  await store.update(FORMER, () => nameless as never);
  expect(await by('ME')).toEqual([OF_ME, 'id-2']);
  expect(await by('me')).toEqual([FORMER, 'nameless']);
});

it('a sender whose id ends in spaces goes on in their own session', async () => {
  const { by } = open('webhook');
  const key = 'agent:main:webhook:dm:me%20';
  expect(await by('me ', 'agent:main:webhook:dm:me')).toEqual([key, 'id-1']);
  expect(await by('me')).toEqual(['agent:main:webhook:dm:me', 'id-2']);
  expect(await by('me ')).toEqual([key, 'id-1']);
});

it('what is recorded of a sender does not make the session theirs', async () => {
  const { store, by, wasBy } = open('matrix');
  await wasBy('ME');
  const ctx = { From: 'matrix:me', ChatType: 'direct', Provider: 'matrix' };
  const { storePath } = agent;
  await recordSessionMetaFromInbound({ storePath, store, sessionKey: FORMER, ctx, now: () => NOW });
  expect(await by('me')).toEqual([FORMER, 'id-2']);
  expect(await by('ME')).toEqual([OF_ME, 'former']);
});

it('a message that no person wrote moves nothing', async () => {
  const { write, wasBy } = open('matrix');
  await wasBy('ME');
  expect(await write({ SessionKey: FORMER })).toEqual([FORMER, 'former']);
});

it('a person of the links keeps the session of their name', async () => {
  const { by, wasBy } = open('matrix', { me: ['matrix:ME', 'matrix:me'] });
  await wasBy('ME');
  expect(await by('me')).toEqual([FORMER, 'former']);
  expect(await by('ME')).toEqual([FORMER, 'former']);
});

it('groups and their threads too', async () => {
  const { write, wroteBefore, keyOf } = open('matrix');
  const ctx = { From: 'matrix:group:Crew', ChatType: 'group', MessageThreadId: 'T1' };
  await wroteBefore('agent:main:matrix:group:crew:thread:t1', ctx);
  const SessionKey = buildThreadSessionKey(keyOf('Crew', 'group'), 'T1');
  expect(await write({ ...ctx, SessionKey })).toEqual([
    'agent:main:matrix:group:%43rew:thread:%541',
    'former',
  ]);
});

it.each([
  { group: 'Crew', isForked: true },
  { group: 'crew', isForked: false },
])('a thread of $group begins with the conversation of Crew: $isForked', async ({ group, isForked }) => {
  const { store, write, wroteBefore, keyOf } = open('matrix');
  const former = await agent.talk('former', ['hello', 'hi']);
  await wroteBefore('agent:main:matrix:group:crew', { From: 'matrix:group:Crew', ChatType: 'group' });
  await store.update('agent:main:matrix:group:crew', (e) => ({ ...e, sessionFile: former }) as never);
  const ParentSessionKey = keyOf(group, 'group');
  const SessionKey = buildThreadSessionKey(ParentSessionKey, 'T1');
  const [key] = await write({
    From: `matrix:group:${group}`,
    ChatType: 'group',
    MessageThreadId: 'T1',
    SessionKey,
    ParentSessionKey,
  });
  expect(Object.hasOwn((await store.get(key!))!, 'forkedFromParent')).toBe(isForked);
});
