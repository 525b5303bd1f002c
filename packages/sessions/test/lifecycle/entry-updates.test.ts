import { describe, expect, it } from 'vitest';
import { readCliSessionId, readSdkSessionId } from '../../src/entry/read-session-entry.ts';
import {
  incrementCompactionCount,
  markMemoryFlushed,
  persistSessionUsageUpdate,
  recordSessionMetaFromInbound,
  resetSession,
  type SessionEntry,
  setSdkSessionId,
  shouldRunMemoryFlush,
  updateLastRoute,
} from '../../src/index.ts';
import { DAY, NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';
const entry = { sessionId: 's', updatedAt: NOW - DAY, label: 'mine', somethingNew: 1 };
const place = () => ({ storePath: agent.storePath, sessionKey: KEY, now: () => NOW });

describe('persistSessionUsageUpdate', () => {
  it('totalTokens is what the prompt weighed, not the answer', async () => {
    agent.writeStore({ [KEY]: entry });
    await persistSessionUsageUpdate({
      ...place(),
      usage: { input: 100, output: 50, cacheRead: 20, cacheWrite: 3, total: 999 },
      modelUsed: 'm',
      providerUsed: 'claude-cli',
      contextTokensUsed: 200_000,
      cliSessionId: 'cli-1',
    });
    expect(agent.entry()).toEqual({
      ...entry,
      updatedAt: NOW,
      inputTokens: 100,
      outputTokens: 50,
      cacheRead: 20,
      cacheWrite: 3,
      totalTokens: 123,
      totalTokensFresh: true,
      model: 'm',
      modelProvider: 'claude-cli',
      contextTokens: 200_000,
      cliSessionIds: { 'claude-cli': 'cli-1' },
      claudeCliSessionId: 'cli-1',
    });
    expect(readCliSessionId(agent.entry(), 'claude-cli')).toBe('cli-1');
  });

  it('figures that say nothing leave the old ones, and what is not given stays', async () => {
    agent.writeStore({ [KEY]: { ...entry, totalTokens: 7, model: 'm', modelProvider: 'p' } });
    const usage = { input: 0, output: 0, cacheRead: Number.NaN, total: -5 };
    await persistSessionUsageUpdate({ ...place(), usage });
    expect(agent.entry()).toMatchObject({ updatedAt: NOW - DAY, totalTokens: 7, model: 'm' });
    await persistSessionUsageUpdate({ ...place(), usage: { total: 40 }, modelUsed: 'n' });
    expect(agent.entry()).toMatchObject({ totalTokens: 40, model: 'n', modelProvider: 'p' });
  });

  it('the answer alone leaves the prompt’s figures and marks them as out of date', async () => {
    const known = { ...entry, inputTokens: 100, cacheRead: 20, totalTokens: 120, totalTokensFresh: true };
    agent.writeStore({ [KEY]: known });
    await persistSessionUsageUpdate({ ...place(), usage: { output: 5 } });
    expect(agent.entry()).toEqual({ ...known, updatedAt: NOW, outputTokens: 5, totalTokensFresh: false });
    agent.writeStore({ [KEY]: entry });
    await persistSessionUsageUpdate({ ...place(), usage: { output: 5 } });
    expect(agent.entry()).toEqual({ ...entry, updatedAt: NOW, outputTokens: 5 });
  });

  it('a total replaces the prompt figure only if there is no other, and without the answer', async () => {
    agent.writeStore({ [KEY]: entry });
    await persistSessionUsageUpdate({ ...place(), usage: { output: 20, total: 70 } });
    expect(agent.entry()).toMatchObject({ outputTokens: 20, totalTokens: 50, totalTokensFresh: true });
    await persistSessionUsageUpdate({ ...place(), usage: { input: 7, output: 20, total: 70 } });
    expect(agent.entry()).toMatchObject({ totalTokens: 7, cacheRead: 0, cacheWrite: 0 });
  });

  it('an invalid map of CLI session ids is replaced, not extended', async () => {
    agent.writeStore({ [KEY]: { ...entry, cliSessionIds: 'ab' } });
    await persistSessionUsageUpdate({ ...place(), providerUsed: 'codex', cliSessionId: 'c' });
    expect(agent.entry().cliSessionIds).toEqual({ codex: 'c' });
  });

  it('a run that ends after a reset writes nothing into the next session', async () => {
    agent.writeStore({ [KEY]: entry });
    await resetSession({ ...place(), newId: () => 'next' });
    const before = agent.entry();
    await persistSessionUsageUpdate({ ...place(), sessionId: 's', usage: { input: 1 } });
    expect(await setSdkSessionId({ ...place(), sessionId: 's', sdkSessionId: 'late' })).toBeNull();
    expect(
      await incrementCompactionCount({ ...place(), sessionEntry: { sessionId: 's', updatedAt: 1 } }),
    ).toBeUndefined();
    expect(await markMemoryFlushed({ ...place(), sessionId: 's' })).toBeNull();
    expect(agent.entry()).toEqual(before);
  });

  it('without a store, a key or an entry there is nothing to do', async () => {
    await persistSessionUsageUpdate({ usage: { input: 1 } });
    await persistSessionUsageUpdate({ ...place(), usage: { input: 1 } });
    expect(agent.readStore()).toEqual({});
  });
});

describe('incrementCompactionCount', () => {
  it('counts in the store, whatever the caller’s copy says', async () => {
    agent.writeStore({ [KEY]: { ...entry, compactionCount: 4, totalTokens: 90, contextBudgetStatus: {} } });
    const sessionEntry = { sessionId: 's', updatedAt: 1, compactionCount: 0 };
    const sessionStore: Record<string, typeof sessionEntry> = {};
    expect(await incrementCompactionCount({ ...place(), sessionEntry, sessionStore })).toBe(5);
    expect(agent.entry()).toEqual({
      ...entry,
      updatedAt: NOW,
      compactionCount: 5,
      totalTokens: 90,
      totalTokensFresh: false,
    });
    expect(sessionEntry).toEqual(agent.entry());
    expect(sessionStore[KEY]).toBe(sessionEntry);
  });

  it('a frozen copy is replaced where the caller looks it up', async () => {
    agent.writeStore({ [KEY]: entry });
    const sessionEntry = Object.freeze({ ...entry });
    const sessionStore: Record<string, SessionEntry> = { [KEY]: sessionEntry };
    expect(await incrementCompactionCount({ ...place(), sessionEntry, sessionStore })).toBe(1);
    expect(sessionStore[KEY]).toEqual(agent.entry());
    expect(await incrementCompactionCount({ sessionKey: KEY, sessionEntry, sessionStore })).toBe(2);
    expect(sessionStore[KEY]).toMatchObject({ compactionCount: 2 });
  });

  it('with the size after it, that is the size', async () => {
    agent.writeStore({ [KEY]: { ...entry, inputTokens: 1, outputTokens: 2, cacheRead: 3 } });
    expect(await incrementCompactionCount({ ...place(), tokensAfter: 1234 })).toBe(1);
    expect(agent.entry()).toEqual({
      ...entry,
      updatedAt: NOW,
      compactionCount: 1,
      totalTokens: 1234,
      totalTokensFresh: true,
    });
  });

  it('without a store it counts in the copy; without any entry it says so', async () => {
    const sessionEntry = { sessionId: 's', updatedAt: 1 };
    expect(await incrementCompactionCount({ sessionEntry })).toBe(1);
    expect(sessionEntry).toMatchObject({ compactionCount: 1 });
    expect(await incrementCompactionCount({})).toBeUndefined();
    expect(await incrementCompactionCount(place())).toBeUndefined();
  });
});

it('a memory flush is made once for each compaction', async () => {
  agent.writeStore({ [KEY]: { ...entry, totalTokens: 95_000, compactionCount: 2 } });
  const due = () =>
    shouldRunMemoryFlush({
      entry: agent.entry(),
      contextWindowTokens: 100_000,
      reserveTokensFloor: 5000,
      softThresholdTokens: 4000,
    });
  expect(due()).toBe(true);
  await markMemoryFlushed(place());
  expect(agent.entry()).toMatchObject({ memoryFlushAt: NOW, memoryFlushCompactionCount: 2 });
  expect(due()).toBe(false);
  await incrementCompactionCount({ ...place(), tokensAfter: 92_000 });
  expect(due()).toBe(true);
});

describe('sdkSessionId', () => {
  it('is set, read, and cleared at a reset', async () => {
    agent.writeStore({ [KEY]: entry });
    await setSdkSessionId({ ...place(), sdkSessionId: ' sdk-1 ', sessionId: 's' });
    expect(readSdkSessionId(agent.entry())).toBe('sdk-1');
    await resetSession(place());
    expect(readSdkSessionId(agent.entry())).toBeUndefined();
  });

  it('is forgotten with its older spellings, and with nothing else', async () => {
    agent.writeStore({
      [KEY]: {
        ...entry,
        sdkSessionId: 'a',
        claudeCliSessionId: 'b',
        cliSessionIds: { 'claude-cli': 'b', codex: 'c' },
      },
    });
    await setSdkSessionId({ ...place(), sdkSessionId: undefined });
    expect(agent.entry()).toEqual({ ...entry, cliSessionIds: { codex: 'c' } });
  });
});

describe('recordSessionMetaFromInbound', () => {
  it('merges who and where into the entry, and does not count as use', async () => {
    agent.writeStore({ [KEY]: { ...entry, origin: { from: 'telegram:1', extra: 1, label: 'Ann' } } });
    await recordSessionMetaFromInbound({
      ...place(),
      ctx: {
        Provider: 'Telegram',
        Surface: 'telegram',
        ChatType: 'dm',
        From: 'telegram:2',
        SenderName: 'Bob',
      },
    });
    expect(agent.entry()).toEqual({
      ...entry,
      chatType: 'direct',
      origin: {
        from: 'telegram:2',
        exactFrom: 'telegram:2',
        extra: 1,
        label: 'Bob',
        provider: 'telegram',
        surface: 'telegram',
        chatType: 'direct',
      },
    });
  });

  it('a group’s names; the id only where there is no better one', async () => {
    const group = { Provider: 'slack', ChatType: 'channel', From: 'slack:channel:C1' };
    const sessionKey = 'agent:main:slack:channel:c1';
    await recordSessionMetaFromInbound({ ...place(), sessionKey, ctx: group });
    expect(agent.entry(sessionKey)).toMatchObject({
      displayName: 'slack:c1',
      channel: 'slack',
      groupId: 'c1',
    });
    await recordSessionMetaFromInbound({
      ...place(),
      sessionKey,
      ctx: { ...group, GroupChannel: '#general', GroupSpace: 'Acme' },
    });
    expect(agent.entry(sessionKey)).toMatchObject({
      displayName: 'slack:Acme #general',
      groupChannel: '#general',
      space: 'Acme',
    });
    await recordSessionMetaFromInbound({ ...place(), sessionKey, ctx: group });
    expect(agent.entry(sessionKey).displayName).toBe('slack:Acme #general');
  });

  it('names are one line each, wherever they come from', async () => {
    await recordSessionMetaFromInbound({
      ...place(),
      sessionKey: 'agent:main:x:group:1',
      ctx: {
        Provider: 'x',
        ChatType: 'group',
        From: '1',
        GroupSubject: `a\nb\u001b[31m\u2028${'x'.repeat(5000)}\ud800`,
      },
    });
    const { subject } = agent.entry('agent:main:x:group:1');
    expect(subject).toMatch(/^a b \[31m x+$/);
    expect(subject!.length).toBeLessThanOrEqual(200);
  });

  it('a missing entry is made, or not', async () => {
    const ctx = { ChatType: 'direct' };
    expect(await recordSessionMetaFromInbound({ ...place(), ctx, createIfMissing: false })).toBeNull();
    expect(agent.readStore()).toEqual({});
    const made = await recordSessionMetaFromInbound({ ...place(), ctx, newId: () => 'n' });
    expect(made).toMatchObject({ sessionId: 'n', updatedAt: NOW, chatType: 'direct' });
  });
});

describe('updateLastRoute', () => {
  it('writes every field of the route, normalised, and does not count as use', async () => {
    agent.writeStore({ [KEY]: { ...entry, route: { channel: 'webchat' }, deliveryContext: { note: 'x' } } });
    await updateLastRoute({
      ...place(),
      channel: ' Telegram ',
      to: '42',
      accountId: ' work ',
      threadId: ' 7 ',
    });
    expect(agent.entry()).toEqual({
      ...entry,
      deliveryContext: { note: 'x', channel: 'telegram', to: '42', accountId: 'work', threadId: '7' },
      lastChannel: 'telegram',
      lastTo: '42',
      lastAccountId: 'work',
      lastThreadId: '7',
    });
  });

  it('fills gaps from before only within the same channel and address', async () => {
    agent.writeStore({ [KEY]: entry });
    const route = (params: object) => updateLastRoute({ ...place(), ...params });
    await route({ channel: 'telegram', to: '42', accountId: 'work', threadId: 7 });
    expect((await route({ accountId: 'home' }))?.deliveryContext).toEqual({
      channel: 'telegram',
      to: '42',
      accountId: 'home',
      threadId: 7,
    });
    expect((await route({ channel: 'telegram', to: '43' }))?.deliveryContext).toEqual({
      channel: 'telegram',
      to: '43',
    });
    expect((await route({ deliveryContext: { channel: 'whatsapp' } }))?.deliveryContext).toEqual({
      channel: 'whatsapp',
    });
    expect((await route({}))?.lastChannel).toBe('whatsapp');
    expect(agent.entry()).not.toHaveProperty('lastTo');
  });

  it('reads the older spelling, and records the message with it', async () => {
    agent.writeStore({
      [KEY]: { ...entry, deliveryContext: { channel: 'telegram', target: '42', account: 'a' } },
    });
    const updated = await updateLastRoute({
      ...place(),
      channel: 'telegram',
      ctx: { ChatType: 'dm', From: 'telegram:42' },
    });
    expect(updated).toMatchObject({
      deliveryContext: { channel: 'telegram', to: '42', accountId: 'a' },
      chatType: 'direct',
      origin: { from: 'telegram:42' },
    });
  });

  it('makes a missing entry, or not', async () => {
    expect(await updateLastRoute({ ...place(), channel: 'x', createIfMissing: false })).toBeNull();
    expect(await updateLastRoute({ ...place(), channel: 'x', newId: () => 'n' })).toMatchObject({
      sessionId: 'n',
      lastChannel: 'x',
    });
  });
});
