import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type InitSessionStateParams,
  initSessionState,
  type MsgContext,
  recordSessionMetaFromInbound,
  resetSession,
  setSdkSessionId,
  updateLastRoute,
} from '../../src/index.ts';
import { countingIds, DAY, NOW, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const PARENT = 'agent:main:slack:channel:c1';
const THREAD = `${PARENT}:thread:t1`;
const inThread: MsgContext = {
  SessionKey: THREAD,
  ParentSessionKey: PARENT,
  MessageThreadId: 't1',
  Body: 'in the thread',
  CommandAuthorized: true,
};
const hello: MsgContext = { SessionKey: 'agent:main:main', Body: 'hello', CommandAuthorized: true };

const init = (ctx: MsgContext, params: Partial<InitSessionStateParams> = {}) =>
  initSessionState({
    ctx,
    cfg: {},
    storePath: agent.storePath,
    now: () => NOW,
    newId: countingIds('new'),
    timeZone: 'UTC',
    ...params,
  });

const writeParent = async () => {
  await agent.talk('parent', ['one', 'two']);
  agent.writeStore({ [PARENT]: { sessionId: 'parent', updatedAt: NOW } });
};

const record = {
  recordSessionMetaFromInbound: (sessionKey: string) =>
    recordSessionMetaFromInbound({
      storePath: agent.storePath,
      sessionKey,
      ctx: { ChatType: 'direct', SenderName: 'Ann' },
      now: () => NOW,
      newId: () => 'recorded',
    }),
  updateLastRoute: (sessionKey: string) =>
    updateLastRoute({
      storePath: agent.storePath,
      sessionKey,
      channel: 'slack',
      now: () => NOW,
      newId: () => 'recorded',
    }),
};

describe.each(Object.entries(record))('after %s', (_, recordFirst) => {
  it('the first message still begins the session, with the id that was given out', async () => {
    await recordFirst(hello.SessionKey!);
    const first = await init(hello);
    expect(first).toMatchObject({
      sessionId: 'recorded',
      isNewSession: true,
      sessionCtx: { IsNewSession: 'true' },
      sessionEntry: { sessionFile: agent.path('recorded.jsonl') },
    });
    expect(first).not.toHaveProperty('previousSessionEntry');
    expect(first.sessionEntry).not.toHaveProperty('pendingArchives');
    const { origin, lastChannel } = agent.entry();
    expect(origin?.label ?? lastChannel).toMatch(/Ann|slack/);
    expect(await init(hello)).toMatchObject({ sessionId: 'recorded', isNewSession: false });
  });

  it('days later too', async () => {
    await recordFirst(hello.SessionKey!);
    const first = await init(hello, { now: () => NOW + 9 * DAY });
    expect(first).toMatchObject({ sessionId: 'recorded', isNewSession: true });
    expect(first).not.toHaveProperty('previousSessionEntry');
  });

  it('a thread still begins with its parent’s conversation', async () => {
    await writeParent();
    await recordFirst(THREAD);
    const first = await init(inThread);
    expect(first).toMatchObject({ isNewSession: true, sessionEntry: { forkedFromParent: true } });
    expect(readWithPi(first.sessionEntry.sessionFile!)).toEqual(['user: one', 'assistant: two']);
    expect(await init(inThread)).toMatchObject({ sessionId: first.sessionId, isNewSession: false });
  });

  it('messages that arrive together agree', async () => {
    await writeParent();
    await recordFirst(THREAD);
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, i) => init(inThread, { newId: countingIds(`n${i}`) })),
    );
    expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(results.filter(({ isNewSession }) => isNewSession)).toHaveLength(1);
    expect(agent.files()).toHaveLength(2);
  });

  it('a session that was used meanwhile goes on', async () => {
    await recordFirst(hello.SessionKey!);
    await setSdkSessionId({ storePath: agent.storePath, sessionKey: 'main', sdkSessionId: 'sdk' });
    expect(await init(hello)).toMatchObject({ sessionId: 'recorded', isNewSession: false });
    await recordFirst('agent:main:dm:1');
    await agent.talk('recorded', ['by another program']);
    expect(await init({ ...hello, SessionKey: 'agent:main:dm:1' })).toMatchObject({
      sessionId: 'recorded',
      isNewSession: false,
    });
  });

  it('a reset begins it', async () => {
    await recordFirst(hello.SessionKey!);
    await resetSession({ storePath: agent.storePath, sessionKey: 'main', newId: () => 'n', now: () => NOW });
    expect(await init(hello)).toMatchObject({ sessionId: 'n', isNewSession: false });
  });
});

describe('a thread that began empty never gets its parent’s past', () => {
  const later = { now: () => NOW + 3 * DAY, newId: countingIds('later') };

  it('because the person asked for it', async () => {
    await writeParent();
    await init({ ...inThread, Body: '/new' });
    expect(await init(inThread, later)).toMatchObject({ sessionId: 'later-1', isNewSession: true });
    expect(agent.files()).toEqual(['parent.jsonl']);
  });

  it('because the parent had no transcript', async () => {
    agent.writeStore({ [PARENT]: { sessionId: 'parent', updatedAt: NOW } });
    await init(inThread);
    await agent.talk('parent', ['one', 'two']);
    expect(await init(inThread, { ...later, newId: countingIds('last') })).toMatchObject({
      sessionId: 'last-1',
      isNewSession: true,
    });
    expect(agent.files()).toEqual(['parent.jsonl']);
  });
});

describe('a parent that cannot be forked does not keep the thread from being answered', () => {
  const claude = join(import.meta.dirname, '../../../../fixtures/claude-code/projects/-home-user-work-sess');
  const parents: [string, string, () => object][] = [
    [
      'a transcript of Claude Code',
      'TRANSCRIPT_UNSUPPORTED',
      () => {
        const name = readdirSync(claude).find((one) => one.endsWith('.jsonl'))!;
        copyFileSync(join(claude, name), agent.path('parent.jsonl'));
        return { sessionId: 'parent', updatedAt: NOW };
      },
    ],
    [
      'a file outside',
      'PATH_ESCAPES_FOLDER',
      () => {
        writeFileSync(join(agent.stateDir, 'x.jsonl'), '');
        return { sessionId: 'p', updatedAt: NOW, sessionFile: join(agent.stateDir, 'x.jsonl') };
      },
    ],
    ['an id that is none', 'INVALID_SESSION_ID', () => ({ sessionId: '../x', updatedAt: NOW })],
    ['no entry', 'STORE_ENTRY_INVALID', () => [] as object],
  ];

  it.each(parents)('%s', async (_, code, make) => {
    mkdirSync(agent.folder, { recursive: true });
    agent.writeStore({ [PARENT]: make() });
    const before = agent.files();
    const failures: Error[] = [];
    const first = await init(inThread, { onForkFailure: (error) => failures.push(error) });
    expect(first.isNewSession).toBe(true);
    expect(failures).toMatchObject([{ code }]);
    expect(agent.files()).toEqual(before);
    expect(await init(inThread)).toMatchObject({ sessionId: first.sessionId, isNewSession: false });
  });
});

describe('what adapters may pass', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'hi'],
    ['a Provider that is a number', { ...hello, Provider: 7 }],
    ['a MessageThreadId that is an object', { ...hello, MessageThreadId: {} }],
    ['a ParentSessionKey that is a list', { ...hello, ParentSessionKey: [] }],
    ['a ThreadLabel that is a number', { ...hello, ThreadLabel: 1 }],
    ['a BotUsername that is a number', { ...hello, BotUsername: 1 }],
  ])('%s is refused', async (_, ctx) => {
    const refused = { code: 'INVALID_ARGUMENT' };
    const place = { storePath: agent.storePath, sessionKey: 'main' };
    await expect(init(ctx as MsgContext)).rejects.toMatchObject(refused);
    await expect(recordSessionMetaFromInbound({ ...place, ctx: ctx as MsgContext })).rejects.toMatchObject(
      refused,
    );
    await expect(updateLastRoute({ ...place, ctx: ctx as MsgContext })).rejects.toMatchObject(refused);
    expect(agent.readStore()).toEqual({});
  });

  it('null is as good as nothing', async () => {
    const ctx = { ...hello, Provider: null, MessageThreadId: null, ParentSessionKey: null, AgentId: null };
    expect(await init(ctx as unknown as MsgContext)).toMatchObject({ isNewSession: true });
  });

  it('an agent beside the key of another one is refused', async () => {
    const refused = { code: 'AGENT_MISMATCH' };
    const params = { storePath: undefined, stateDir: agent.stateDir };
    await expect(init({ ...hello, AgentId: 'codex' }, params)).rejects.toMatchObject(refused);
    await expect(init({ AgentId: 'codex' }, { ...params, agentId: 'main' })).rejects.toMatchObject(refused);
    expect(await init({ ...hello, AgentId: ' Main ' }, params)).toMatchObject({ isNewSession: true });
  });
});
