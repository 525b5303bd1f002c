import { readFileSync, statSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import {
  incrementCompactionCount,
  markMemoryFlushed,
  openMemorySessionStore,
  persistRunOutcome,
  persistSessionUsageUpdate,
  resetSession,
  type SessionEntry,
  type SessionStore,
  type SessionSystemPromptReport,
  setSdkSessionId,
} from '../../src/index.ts';
import { DAY, NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';
const entry = { sessionId: 's', updatedAt: NOW - DAY, label: 'mine', somethingNew: 1 };
const place = () => ({ storePath: agent.storePath, sessionKey: KEY, now: () => NOW });
const report: SessionSystemPromptReport = {
  source: 'run',
  generatedAt: NOW,
  systemPrompt: { chars: 10, projectContextChars: 4, nonProjectContextChars: 6 },
  injectedWorkspaceFiles: [],
  skills: { promptChars: 0, entries: [] },
  tools: { listChars: 0, schemaChars: 0, entries: [] },
};

describe('persistRunOutcome', () => {
  it('of a run that no person asked for leaves the time of the last use', async () => {
    agent.writeStore({ [KEY]: entry });
    await persistRunOutcome({ ...place(), status: 'done', endedAt: NOW, isActivity: false });
    expect(agent.entry()).toEqual({ ...entry, status: 'done', endedAt: NOW });
    await setSdkSessionId({ ...place(), sdkSessionId: 'sdk', isActivity: false });
    expect(agent.entry()).toMatchObject({ sdkSessionId: 'sdk', updatedAt: entry.updatedAt });
  });

  it('keeps which model the person was told about, and forgets it', async () => {
    agent.writeStore({ [KEY]: entry });
    const fallbackNotice = { selected: 'p/a', active: 'p/b', reason: 'overloaded' };
    await persistRunOutcome({ ...place(), fallbackNotice });
    const told = {
      fallbackNoticeSelectedModel: 'p/a',
      fallbackNoticeActiveModel: 'p/b',
      fallbackNoticeReason: 'overloaded',
    };
    expect(agent.entry()).toMatchObject(told);
    await persistRunOutcome({ ...place(), status: 'done' });
    expect(agent.entry()).toMatchObject(told);
    await persistRunOutcome({ ...place(), fallbackNotice: null });
    for (const field of Object.keys(told)) expect(agent.entry()).not.toHaveProperty(field);
  });

  it('writes all that a run changes', async () => {
    agent.writeStore({ [KEY]: { ...entry, abortedLastRun: true, abortedBy: 'timeout' } });
    const written = await persistRunOutcome({
      ...place(),
      sessionId: 's',
      usage: { input: 100, output: 50, cacheRead: 20, cacheWrite: 3 },
      modelUsed: 'm',
      providerUsed: 'p',
      contextTokensUsed: 200_000,
      systemPromptReport: report,
      status: 'done',
      startedAt: NOW - 1500,
      endedAt: NOW,
      systemSent: true,
      abortedBy: null,
      compactions: { count: 2, tokensAfter: 40, isNewerThanUsage: false },
      thinkingLevel: 'low',
      skillsSnapshot: { prompt: 'x', skills: [{ name: 'a' }], version: 7 },
      sdkSessionId: 'sdk',
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
      modelProvider: 'p',
      contextTokens: 200_000,
      systemPromptReport: report,
      status: 'done',
      startedAt: NOW - 1500,
      endedAt: NOW,
      runtimeMs: 1500,
      systemSent: true,
      abortedLastRun: false,
      compactionCount: 2,
      lastThinkingLevel: 'low',
      skillsSnapshot: { prompt: 'x', skills: [{ name: 'a' }], version: 7 },
      sdkSessionId: 'sdk',
    });
    expect(written).toEqual(agent.entry());
  });

  it('a run that was ended early is noted with its cause, and its start removes the end of the one before', async () => {
    agent.writeStore({ [KEY]: { ...entry, endedAt: 5, runtimeMs: 4, status: 'done' } });
    await persistRunOutcome({ ...place(), status: 'running', startedAt: NOW });
    expect(agent.entry()).toEqual({ ...entry, updatedAt: NOW, status: 'running', startedAt: NOW });
    await persistRunOutcome({ ...place(), status: 'timeout', endedAt: NOW + 9, abortedBy: 'timeout' });
    expect(agent.entry()).toMatchObject({
      abortedLastRun: true,
      abortedBy: 'timeout',
      startedAt: NOW,
      runtimeMs: 9,
    });
  });

  it('after a compaction, figures from before it are out of date', async () => {
    agent.writeStore({ [KEY]: entry });
    const usage = { input: 90_000, output: 10 };
    const compactions = { count: 1, isNewerThanUsage: true };
    await persistRunOutcome({ ...place(), usage, compactions });
    expect(agent.entry()).toMatchObject({ totalTokens: 90_000, totalTokensFresh: false, compactionCount: 1 });
    await persistRunOutcome({ ...place(), usage, compactions: { ...compactions, tokensAfter: 1200 } });
    expect(agent.entry()).toMatchObject({ totalTokens: 1200, totalTokensFresh: true, compactionCount: 2 });
    expect(agent.entry()).not.toHaveProperty('inputTokens');
  });

  it('a report that differs only in its time is not written again', async () => {
    agent.writeStore({ [KEY]: entry });
    await persistRunOutcome({ ...place(), systemPromptReport: report });
    await persistRunOutcome({ ...place(), systemPromptReport: { ...report, generatedAt: NOW + 5 } });
    expect(agent.entry().systemPromptReport).toEqual(report);
    const longer = { ...report, generatedAt: NOW + 6, skills: { promptChars: 3, entries: [] } };
    await persistRunOutcome({ ...place(), systemPromptReport: longer });
    expect(agent.entry().systemPromptReport).toEqual(longer);
  });

  it('an outcome that changes nothing does not write the store', async () => {
    agent.writeStore({ [KEY]: { ...entry, updatedAt: NOW, systemSent: true } });
    const before = statSync(agent.storePath, { bigint: true });
    await persistRunOutcome({ ...place(), systemSent: true });
    const after = statSync(agent.storePath, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  it('a run that ends after a reset writes nothing into the next session', async () => {
    agent.writeStore({ [KEY]: entry });
    await resetSession({ ...place(), newId: () => 'next' });
    const before = readFileSync(agent.storePath, 'utf8');
    expect(await persistRunOutcome({ ...place(), sessionId: 's', status: 'done' })).toBeNull();
    expect(readFileSync(agent.storePath, 'utf8')).toBe(before);
  });

  it('gives what the separate calls give, in one change', HUNT, async () => {
    const count = fc.option(fc.nat(200_000), { nil: undefined });
    const outcome = fc.record({
      known: fc.record({ totalTokens: count, compactionCount: count, inputTokens: count }),
      usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
      tokensAfter: count,
    });
    await fc.assert(
      fc.asyncProperty(outcome, async ({ known, usage, tokensAfter }) => {
        const separate = await play(known, async (at, sessionEntry) => {
          const compactionCount = sessionEntry.compactionCount ?? 0;
          await persistSessionUsageUpdate({ ...at, usage });
          await incrementCompactionCount({ ...at, sessionEntry, tokensAfter });
          await markMemoryFlushed({ ...at, compactionCount });
        });
        const together = await play(known, async (at, { compactionCount = 0 }) => {
          await persistRunOutcome({
            ...at,
            usage,
            compactions: { count: 1, tokensAfter, isNewerThanUsage: true },
            memoryFlush: { at: NOW, compactionCount },
          });
        });
        expect(together.entry).toEqual(separate.entry);
        expect(together.changes).toBe(1);
      }),
      cases({ gate: 60, torture: 1000 }),
    );
  });
});

interface Place {
  storePath: string;
  store: SessionStore;
  sessionKey: string;
  now(): number;
}

async function play(
  known: Partial<SessionEntry>,
  act: (at: Place, entry: SessionEntry) => Promise<void>,
): Promise<{ entry: unknown; changes: number }> {
  const first = JSON.parse(JSON.stringify({ sessionId: 's', updatedAt: 1, ...known })) as SessionEntry;
  const store = openMemorySessionStore({ [KEY]: first });
  let changes = 0;
  const counting: SessionStore = {
    ...store,
    updateMany: (change) => {
      changes++;
      return store.updateMany(change);
    },
  };
  await act({ storePath: agent.storePath, store: counting, sessionKey: KEY, now: () => NOW }, { ...first });
  return { entry: await store.get(KEY), changes };
}
