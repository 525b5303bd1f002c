import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionResetConfig } from '../../src/exports/policy.ts';
import {
  type InitSessionStateParams,
  initSessionState,
  type MsgContext,
  openMemorySessionStore,
} from '../../src/index.ts';
import { countingIds, DAY, MINUTE, NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();

function init(
  ctx: MsgContext,
  params: Partial<InitSessionStateParams> = {},
): ReturnType<typeof initSessionState> {
  return initSessionState({
    ctx,
    cfg: {},
    stateDir: agent.stateDir,
    now: () => NOW,
    newId: countingIds(),
    timeZone: 'UTC',
    ...params,
  });
}

const hello: MsgContext = { Body: 'hello', CommandAuthorized: true };

describe('the first message', () => {
  it('makes a session and returns every field', async () => {
    const result = await init(hello);
    const entry = {
      sessionId: 'id-1',
      updatedAt: NOW,
      sessionStartedAt: NOW,
      sessionFile: agent.path('id-1.jsonl'),
      systemSent: false,
      abortedLastRun: false,
      compactionCount: 0,
      lastInteractionAt: NOW,
    };
    expect(result).toEqual({
      sessionCtx: { ...hello, BodyStripped: 'hello', SessionId: 'id-1', IsNewSession: 'true' },
      sessionEntry: entry,
      sessionStore: { 'agent:main:main': entry },
      sessionKey: 'agent:main:main',
      sessionId: 'id-1',
      isNewSession: true,
      resetTriggered: false,
      systemSent: false,
      abortedLastRun: false,
      storePath: agent.storePath,
      sessionScope: 'per-sender',
      isGroup: false,
      triggerBodyNormalized: 'hello',
    });
    expect(agent.readStore()).toEqual({ 'agent:main:main': entry });
    expect(agent.files()).toEqual([]);
  });

  it('the entry in the result may be changed without changing the store', async () => {
    const { sessionEntry, sessionStore } = await init(hello);
    sessionEntry.label = 'mine';
    expect(sessionStore['agent:main:main']).toBe(sessionEntry);
    expect(agent.entry().label).toBeUndefined();
  });
});

describe('a caller that awaits the write itself', () => {
  it('gets a session that goes on at once, and a new one when it is written', async () => {
    const memory = openMemorySessionStore();
    const order: string[] = [];
    const begin = async (ctx: MsgContext) => {
      const disk = Promise.withResolvers<void>();
      const store: typeof memory = {
        ...memory,
        updateMany: async (change) => {
          const result = await memory.updateMany(change);
          setImmediate(disk.resolve);
          await disk.promise;
          order.push('written');
          return result;
        },
      };
      let written: Promise<unknown> | undefined;
      const result = await init(ctx, {
        store,
        onWriting: (writing) => {
          written = writing;
        },
      });
      order.push(result.isNewSession ? 'new' : 'goes on');
      await written;
      return result;
    };
    const first = await begin(hello);
    const second = await begin({ ...hello, OriginatingChannel: 'telegram', OriginatingTo: '42' });
    const third = await begin({ ...hello, Body: '/new' });
    expect(order).toEqual(['written', 'new', 'goes on', 'written', 'written', 'new']);
    expect(second.sessionId).toBe(first.sessionId);
    expect(third.previousSessionEntry).toMatchObject({ sessionId: first.sessionId, lastTo: '42' });
  });

  it('hears of a write that failed', async () => {
    const memory = openMemorySessionStore();
    await init(hello, { store: memory });
    let written: Promise<unknown> | undefined;
    const full: typeof memory = {
      ...memory,
      updateMany: async (change) => {
        await memory.updateMany(change);
        throw new Error('The disk is full');
      },
    };
    await init(hello, {
      store: full,
      onWriting: (writing) => {
        written = writing;
      },
    });
    await expect(written).rejects.toThrow('The disk is full');
  });
});

describe('which session', () => {
  it('an explicit key, lower-cased', async () => {
    expect((await init({ SessionKey: ' agent:main:Telegram:DM:42 ' })).sessionKey).toBe(
      'agent:main:telegram:dm:42',
    );
  });

  it('the agent is taken from the key, then the message, then the caller', async () => {
    expect((await init({ SessionKey: 'agent:codex:main' })).storePath).toBe(agent.storePathOf('codex'));
    expect((await init({ AgentId: 'codex' })).sessionKey).toBe('agent:codex:main');
    expect((await init({}, { agentId: 'codex' })).sessionKey).toBe('agent:codex:main');
  });

  it('a group, with its resolution and its names', async () => {
    const result = await init({
      From: 'whatsapp:group:120363@g.us',
      Provider: 'whatsapp',
      ChatType: 'group',
      GroupSubject: 'Family',
      SenderName: 'Alice',
    });
    expect(result).toMatchObject({
      sessionKey: 'agent:main:whatsapp:group:120363@g.us',
      isGroup: true,
      groupResolution: { channel: 'whatsapp', id: '120363@g.us', chatType: 'group' },
      sessionEntry: {
        chatType: 'group',
        channel: 'whatsapp',
        groupId: '120363@g.us',
        subject: 'Family',
        displayName: 'whatsapp:Family',
      },
    });
  });

  it('one session for everybody in the global scope', async () => {
    const cfg = { session: { scope: 'global' as const } };
    const first = await init({ From: 'telegram:1', Provider: 'telegram' }, { cfg });
    const second = await init({ From: 'whatsapp:2', Provider: 'whatsapp' }, { cfg, newId: countingIds('x') });
    expect(first).toMatchObject({ sessionKey: 'global', sessionScope: 'global' });
    expect(second.sessionId).toBe(first.sessionId);
  });

  it('a native command is about the conversation that it was given in', async () => {
    const result = await init({
      SessionKey: 'agent:main:telegram:slash:7',
      CommandSource: 'native',
      CommandTargetSessionKey: 'agent:main:telegram:dm:7',
    });
    expect(result.sessionKey).toBe('agent:main:telegram:dm:7');
    expect(Object.keys(agent.readStore())).toEqual(['agent:main:telegram:dm:7']);
  });

  it('an entry under an older spelling is found and stays there; of two the one used last', async () => {
    agent.writeStore({ 'agent:main:telegram:direct:42': { sessionId: 'old', updatedAt: NOW - MINUTE } });
    const result = await init({ SessionKey: 'agent:main:telegram:dm:42' });
    expect(result).toMatchObject({ sessionKey: 'agent:main:telegram:direct:42', sessionId: 'old' });
    agent.writeStore({
      'agent:main:telegram:dm:42': { sessionId: 'older', updatedAt: NOW - 2 * MINUTE },
      'agent:main:telegram:direct:42': { sessionId: 'newer', updatedAt: NOW - MINUTE },
    });
    expect((await init({ SessionKey: 'agent:main:telegram:dm:42' })).sessionId).toBe('newer');
  });

  it('a key in mixed case is found', async () => {
    agent.writeStore({ 'agent:main:slack:channel:C0ABC': { sessionId: 'old', updatedAt: NOW } });
    const result = await init({ SessionKey: 'agent:main:slack:channel:c0abc' });
    expect(result).toMatchObject({ sessionKey: 'agent:main:slack:channel:C0ABC', sessionId: 'old' });
    expect(Object.keys(agent.readStore())).toEqual(['agent:main:slack:channel:C0ABC']);
  });
});

describe('resume', () => {
  const entry = {
    sessionId: 'old',
    updatedAt: NOW - MINUTE,
    sessionStartedAt: NOW - DAY,
    systemSent: true,
    abortedLastRun: true,
    thinkingLevel: 'high',
    verboseLevel: 'on',
    modelOverride: 'm',
    providerOverride: 'p',
    compactionCount: 3,
    memoryFlushCompactionCount: 3,
    totalTokens: 500,
    sdkSessionId: 'sdk',
    somethingNew: { kept: true },
  };

  it('keeps the session and everything in it', async () => {
    agent.writeStore({ 'agent:main:main': entry });
    const result = await init(hello);
    expect(result).toMatchObject({
      sessionId: 'old',
      isNewSession: false,
      systemSent: true,
      abortedLastRun: true,
      sessionCtx: { SessionId: 'old', IsNewSession: 'false' },
    });
    expect(result).not.toHaveProperty('previousSessionEntry');
    expect(agent.entry()).toEqual({
      ...entry,
      updatedAt: NOW,
      lastInteractionAt: NOW,
      sessionFile: agent.path('old.jsonl'),
    });
  });

  it('a clock that goes back does not end a session, and was wrong only until the next message', async () => {
    agent.writeStore({ 'agent:main:main': { ...entry, updatedAt: NOW + 365 * DAY } });
    const cfg = { session: { reset: { mode: 'idle' as const, idleMinutes: 60 } } };
    expect(await init(hello, { cfg })).toMatchObject({ sessionId: 'old', isNewSession: false });
    expect(agent.entry().updatedAt).toBe(NOW);
    const nextDay = { cfg, now: () => NOW + DAY };
    expect(await init(hello, nextDay)).toMatchObject({ sessionId: 'id-1', isNewSession: true });
  });

  it('a heartbeat leaves even a wrong time as it is', async () => {
    agent.writeStore({ 'agent:main:main': { ...entry, updatedAt: NOW + DAY } });
    await init({ Provider: 'heartbeat' });
    expect(agent.entry().updatedAt).toBe(NOW + DAY);
  });

  it('what is not of its kind in an entry is not mixed with what is', async () => {
    agent.writeStore({ 'agent:main:main': { ...entry, deliveryContext: 'x', origin: 'y' } });
    await init({ OriginatingChannel: 'telegram', To: '42' });
    expect(agent.entry()).toMatchObject({
      deliveryContext: { channel: 'telegram', to: '42' },
      origin: { provider: 'telegram', to: '42' },
    });
    expect(agent.entry().deliveryContext).not.toHaveProperty('0');
    expect(agent.entry().origin).not.toHaveProperty('0');
  });

  it('an entry without a usable session id gets one, and keeps what was set', async () => {
    for (const sessionId of ['../../etc/passwd', '', 42, undefined]) {
      agent.writeStore({ 'agent:main:main': { ...entry, sessionId } });
      const result = await init(hello);
      expect(result).toMatchObject({ sessionId: 'id-1', isNewSession: true });
      expect(agent.entry()).toMatchObject({ thinkingLevel: 'high', somethingNew: { kept: true } });
    }
  });

  it('a recorded file that moved with its folder is found in the new one', async () => {
    await agent.talk('old', ['hi']);
    agent.writeStore({
      'agent:main:main': { ...entry, sessionFile: '/home/old/.openclaw/agents/main/sessions/old.jsonl' },
    });
    expect((await init(hello)).sessionEntry.sessionFile).toBe(agent.path('old.jsonl'));
  });
});

describe('freshness', () => {
  const MANUAL = { mode: 'manual' as const };
  const stale = { sessionId: 'old', updatedAt: NOW - 2 * DAY, label: 'mine', totalTokens: 5 };

  it('daily at four unless configured', async () => {
    agent.writeStore({
      'agent:main:main': { sessionId: 'before', updatedAt: NOW - 8 * 60 * MINUTE - 1 },
      'agent:main:dm:1': { sessionId: 'after', updatedAt: NOW - 8 * 60 * MINUTE },
    });
    expect((await init(hello)).isNewSession).toBe(true);
    expect(await init({ SessionKey: 'agent:main:dm:1' })).toMatchObject({ sessionId: 'after' });
  });

  it('a stale session ends: new id, previous entry, transcript archived', async () => {
    await agent.talk('old', ['one', 'two']);
    agent.writeStore({ 'agent:main:main': stale });
    const result = await init(hello);
    expect(result).toMatchObject({
      sessionId: 'id-1',
      isNewSession: true,
      resetTriggered: false,
      previousSessionEntry: stale,
      sessionEntry: { label: 'mine' },
    });
    expect(result.sessionEntry.totalTokens).toBeUndefined();
    expect(agent.files()).toEqual(['old.jsonl.reset.2026-03-10T12-00-00.000Z']);
    expect(result.sessionEntry).not.toHaveProperty('pendingArchives');
    expect(agent.entry()).not.toHaveProperty('pendingArchives');
  });

  it('by type and by channel', async () => {
    const cfg = {
      session: {
        reset: { mode: 'manual' as const },
        resetByType: { group: { mode: 'idle' as const, idleMinutes: 10 } },
        resetByChannel: { discord: { mode: 'idle' as const, idleMinutes: 1 } },
      },
    };
    const used = { updatedAt: NOW - 5 * MINUTE };
    agent.writeStore({
      'agent:main:main': { sessionId: 'direct', updatedAt: NOW - 900 * DAY },
      'agent:main:telegram:group:1': { sessionId: 'group', ...used },
      'agent:main:discord:group:1': { sessionId: 'discord', ...used },
    });
    expect((await init(hello, { cfg })).sessionId).toBe('direct');
    const group = { ChatType: 'group', From: '1' };
    expect((await init({ ...group, Provider: 'telegram' }, { cfg })).sessionId).toBe('group');
    expect((await init({ ...group, Provider: 'discord' }, { cfg })).isNewSession).toBe(true);
  });

  const thread = 'agent:main:slack:channel:c1:thread:t1';
  it.each([
    ['direct', 'agent:main:main', {}],
    ['direct', 'agent:main:telegram:dm:42', { ChatType: 'direct' }],
    ['group', 'agent:main:telegram:group:1', { ChatType: 'group', From: '1', Provider: 'telegram' }],
    ['group', 'agent:main:slack:channel:c1', { ChatType: 'channel', From: 'c1', Provider: 'slack' }],
    ['thread', thread, {}],
    ['thread', 'agent:main:main', { MessageThreadId: 7 }],
  ] as const)('a %s session ends by its own rule: %s %j', async (type, SessionKey, ctx) => {
    const used = { sessionId: 'old', updatedAt: NOW - 11 * MINUTE };
    const others = { direct: MANUAL, group: MANUAL, thread: MANUAL };
    const endsBy = async (resetByType: object, reset: SessionResetConfig) => {
      agent.writeStore({ [SessionKey]: used });
      const cfg = { session: { reset, resetByType } };
      return (await init({ ...ctx, SessionKey }, { cfg, newId: undefined })).isNewSession;
    };
    const idle = (idleMinutes: number) => ({ mode: 'idle' as const, idleMinutes });
    expect(await endsBy({ ...others, [type]: idle(10) }, MANUAL)).toBe(true);
    expect(await endsBy({ ...others, [type]: idle(12) }, idle(1))).toBe(false);
    expect(await endsBy({ direct: idle(1), group: idle(1), thread: idle(1), [type]: MANUAL }, idle(1))).toBe(
      false,
    );
  });

  it('heartbeats neither end a session nor count as use, nor change where it answers', async () => {
    const entry = { ...stale, lastChannel: 'telegram', lastTo: '42' };
    agent.writeStore({ 'agent:main:main': entry });
    const result = await init({
      Body: '/new',
      CommandAuthorized: true,
      Provider: 'heartbeat',
      OriginatingChannel: 'x',
      To: 'y',
    });
    expect(result).toMatchObject({ sessionId: 'old', isNewSession: false, resetTriggered: false });
    expect(agent.entry()).toEqual({ ...entry, sessionFile: agent.path('old.jsonl') });
  });
});

describe('reset triggers', () => {
  const entry = { sessionId: 'old', updatedAt: NOW - MINUTE, thinkingLevel: 'high' };

  it('start a new session, with the rest of the text in its own case', async () => {
    await agent.talk('old', ['one']);
    agent.writeStore({ 'agent:main:main': entry });
    const result = await init({ Body: '/NEW Summarize THIS', CommandAuthorized: true });
    expect(result).toMatchObject({
      sessionId: 'id-1',
      isNewSession: true,
      resetTriggered: true,
      previousSessionEntry: entry,
      bodyStripped: 'Summarize THIS',
      triggerBodyNormalized: '/NEW Summarize THIS',
      sessionCtx: { BodyStripped: 'Summarize THIS', IsNewSession: 'true' },
      sessionEntry: { thinkingLevel: 'high' },
    });
    expect(agent.files()).toEqual(['old.jsonl.reset.2026-03-10T12-00-00.000Z']);
  });

  it('only from senders who may', async () => {
    agent.writeStore({ 'agent:main:main': entry });
    const cfg = { channels: { telegram: { allowFrom: [42] } } };
    const from = (SenderId: string) => ({ Body: '/new', Provider: 'telegram', SenderId });
    for (const refused of [
      await init({ Body: '/new' }),
      await init({ Body: '/new', CommandAuthorized: false }),
      await init({ Body: '/new', CommandAuthorized: true }, { commandAuthorized: false }),
      await init(from('7'), { cfg }),
    ]) {
      expect(refused).toMatchObject({ sessionId: 'old', resetTriggered: false, isNewSession: false });
      expect(refused).not.toHaveProperty('bodyStripped');
      expect(refused.sessionCtx.BodyStripped).toBe('/new');
    }
    expect(await init(from('42'), { cfg })).toMatchObject({ resetTriggered: true, bodyStripped: '' });
    expect((await init({ Body: '/new' }, { allowFrom: ['*'], newId: countingIds('b') })).resetTriggered).toBe(
      true,
    );
  });

  it('from a sender whose id has another spelling on their network', async () => {
    agent.writeStore({ 'agent:main:main': entry });
    const ctx = { Body: '/new', Provider: 'whatsapp', SenderE164: '+15551234567' };
    const allowFrom = ['+1 555 123-4567'];
    const normalizeId = (id: string) => id.replace(/[ -]/g, '');
    expect((await init(ctx, { allowFrom })).resetTriggered).toBe(false);
    expect((await init(ctx, { allowFrom, normalizeId })).resetTriggered).toBe(true);
  });

  it('behind the wrappers and mentions that adapters leave', async () => {
    const cases: [MsgContext, string][] = [
      [{ Body: '[Dec 4 17:35] /new go' }, 'go'],
      [{ Body: '[WhatsApp 1@g.us 2026-01-13T07:47Z] Alice: /new go', ChatType: 'group', From: '1' }, 'go'],
      [
        {
          Body: '[Chat messages since your last reply - for context]\n[x] Bob: hi\n\n[Current message - respond to this]\n[x] Alice: /reset go',
        },
        'go',
      ],
      [{ Body: 'ignored', RawBody: 'ignored', CommandBody: '/new go' }, 'go'],
      [{ Body: '@Bot /new go', BotUsername: 'bot', ChatType: 'group', From: '1' }, 'go'],
      [{ Body: '<@123>, /new go', ChatType: 'group', From: '1' }, 'go'],
      [{ Body: '/new@bot go', BotUsername: 'bot' }, 'go'],
    ];
    for (const [ctx, rest] of cases) {
      const result = await init({ ...ctx, Provider: 'x', CommandAuthorized: true }, { newId: undefined });
      expect(result).toMatchObject({ resetTriggered: true, bodyStripped: rest });
    }
  });

  it('not in the middle of a text', async () => {
    for (const Body of ['please /new', '/newsletter', 'Alice: /new', '[1] first\n/new']) {
      const result = await init({ Body, CommandAuthorized: true }, { newId: undefined });
      expect(result.resetTriggered).toBe(false);
    }
  });

  it('a configured list replaces the defaults', async () => {
    const cfg = { session: { resetTriggers: ['!fresh'] } };
    expect((await init({ Body: '!Fresh', CommandAuthorized: true }, { cfg })).resetTriggered).toBe(true);
    expect((await init({ Body: '/new', CommandAuthorized: true }, { cfg })).resetTriggered).toBe(false);
  });

  it('a second reset in the same millisecond makes a second archive', async () => {
    await agent.talk('id-1', ['one']);
    agent.writeStore({ 'agent:main:main': { sessionId: 'id-1', updatedAt: NOW } });
    const newId = countingIds('next');
    const reset = { Body: '/new', CommandAuthorized: true };
    await init(reset, { newId });
    // The same session id again, as a restored backup would have it.
    await agent.talk('id-1', ['two']);
    agent.writeStore({ 'agent:main:main': { sessionId: 'id-1', updatedAt: NOW } });
    await init(reset, { newId });
    expect(agent.files()).toEqual([
      'id-1.jsonl.reset.2026-03-10T12-00-00.000Z',
      'id-1.jsonl.reset.2026-03-10T12-00-00.001Z',
    ]);
  });

  it('transcripts of topics are archived too, those of other sessions are not', async () => {
    await agent.talk('old', ['one']);
    await agent.talk('old', ['in a topic'], 'old-topic-42.jsonl');
    await agent.talk('older', ['other']);
    agent.writeStore({ 'agent:main:main': entry });
    await init({ Body: '/new', CommandAuthorized: true });
    expect(agent.files()).toEqual([
      'old-topic-42.jsonl.reset.2026-03-10T12-00-00.000Z',
      'old.jsonl.reset.2026-03-10T12-00-00.000Z',
      'older.jsonl',
    ]);
  });

  it('a transcript that another entry uses stays', async () => {
    await agent.talk('old', ['one']);
    agent.writeStore({ 'agent:main:main': entry, 'agent:main:other': { sessionId: 'old', updatedAt: NOW } });
    await init({ Body: '/new', CommandAuthorized: true });
    expect(agent.files()).toEqual(['old.jsonl']);
    expect(agent.entry()).not.toHaveProperty('pendingArchives');
  });

  it('never begins in a transcript that exists', async () => {
    await agent.talk('id-1', ['somebody else’s']);
    await expect(init(hello)).rejects.toMatchObject({ code: 'TRANSCRIPT_EXISTS' });
    expect(existsSync(agent.storePath)).toBe(false);
  });
});

describe('threads', () => {
  it('have a transcript of their own, named after the topic', async () => {
    const byKey = await init({ SessionKey: 'agent:main:telegram:group:-100123:topic:42' });
    expect(byKey.sessionEntry.sessionFile).toBe(agent.path('id-1-topic-42.jsonl'));
    const byMessage = await init(
      { SessionKey: 'agent:main:slack:channel:c1:thread:1.5', MessageThreadId: '1.5' },
      { newId: countingIds('b') },
    );
    expect(byMessage.sessionEntry.sessionFile).toBe(agent.path('b-1-topic-1.5.jsonl'));
  });

  it('a topic that cannot be a file name leaves the folder to the session id', async () => {
    for (const MessageThreadId of [
      '../../../etc/cron.d/x',
      'spaces/AAA/threads/BBB',
      'x'.repeat(300),
      '..',
    ]) {
      const { sessionEntry, sessionId } = await init(
        { SessionKey: `agent:main:x:group:1:thread:${MessageThreadId}`, MessageThreadId },
        { newId: undefined },
      );
      expect(sessionEntry.sessionFile).toBe(join(agent.folder, `${sessionId}.jsonl`));
    }
  });

  it('an entry that has no transcript yet gets the topic’s; one that has one keeps it', async () => {
    const key = 'agent:main:telegram:group:1:topic:7';
    agent.writeStore({ [key]: { sessionId: 'old', updatedAt: NOW } });
    const ctx = { SessionKey: key, MessageThreadId: 7 };
    expect((await init(ctx)).sessionEntry.sessionFile).toBe(agent.path('old-topic-7.jsonl'));
    await agent.talk('old', ['hi']);
    agent.writeStore({ [key]: { sessionId: 'old', updatedAt: NOW } });
    expect((await init(ctx)).sessionEntry.sessionFile).toBe(agent.path('old.jsonl'));
  });
});

describe('delivery', () => {
  it('follows the message; what belongs to another channel is not carried over', async () => {
    await init({
      OriginatingChannel: 'Telegram',
      OriginatingTo: '42',
      AccountId: 'work',
      MessageThreadId: 7,
    });
    expect(agent.entry()).toMatchObject({
      deliveryContext: { channel: 'telegram', to: '42', accountId: 'work', threadId: 7 },
      lastChannel: 'telegram',
      lastTo: '42',
      lastAccountId: 'work',
      lastThreadId: 7,
      origin: { provider: 'telegram', to: '42', accountId: 'work', threadId: 7 },
    });
    await init({ OriginatingChannel: 'telegram', OriginatingTo: '42' });
    expect(agent.entry().deliveryContext).toEqual({ channel: 'telegram', to: '42', accountId: 'work' });
    expect(agent.entry()).not.toHaveProperty('lastThreadId');
    await init({ OriginatingChannel: 'whatsapp' });
    expect(agent.entry().deliveryContext).toEqual({ channel: 'whatsapp' });
    await init({ Body: 'from the command line' });
    expect(agent.entry().lastChannel).toBe('whatsapp');
  });

  it('survives a reset', async () => {
    await init({ OriginatingChannel: 'telegram', OriginatingTo: '42' });
    await init({ Body: '/new', CommandAuthorized: true }, { newId: countingIds('b') });
    expect(agent.entry()).toMatchObject({
      sessionId: 'b-1',
      deliveryContext: { channel: 'telegram', to: '42' },
    });
  });
});

it('works on any driver of the store contract', async () => {
  const store = openMemorySessionStore();
  const params = { store, storePath: agent.storePath };
  const first = await init(hello, params);
  await agent.talk('id-1', ['one']);
  const second = await init(
    { Body: '/new', CommandAuthorized: true },
    { ...params, newId: countingIds('b') },
  );
  expect(second).toMatchObject({ sessionId: 'b-1', previousSessionEntry: { sessionId: first.sessionId } });
  expect(await store.get('agent:main:main')).toMatchObject({ sessionId: 'b-1' });
  expect(agent.files()).toEqual(['id-1.jsonl.reset.2026-03-10T12-00-00.000Z']);
  expect(existsSync(agent.storePath)).toBe(false);
});
