import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSdkSessionId } from '../../src/entry/read-session-entry.ts';
import { initSessionState, resetSession, type SessionEntry } from '../../src/index.ts';
import {
  FOREIGN_FIELDS_CLEARED,
  RESET_RULES,
  startNextEntry,
} from '../../src/lifecycle/reset/reset-fields.ts';
import { countingIds, NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const fresh = { sessionId: 'next', sessionFile: '/s/next.jsonl', now: NOW };
const STORE = new URL('../../../../fixtures/openclaw-files/2026.7.35/sessions.json', import.meta.url);

it('keeps what the person set and clears what belonged to the session, field by field', () => {
  const previous = Object.fromEntries(Object.keys(RESET_RULES).map((field) => [field, `old ${field}`]));
  const next = startNextEntry(previous as never, fresh) as Record<string, unknown>;
  for (const [field, rule] of Object.entries(RESET_RULES)) {
    if (rule === 'kept') expect(next[field]).toBe(`old ${field}`);
    else if (rule === 'cleared') expect(next).not.toHaveProperty(field);
    else expect(next[field]).not.toBe(`old ${field}`);
  }
});

it('the table, pinned', () => {
  const fieldsOf = (rule: string) =>
    Object.entries(RESET_RULES)
      .filter(([, one]) => one === rule)
      .map(([field]) => field)
      .sort()
      .join(' ');
  expect(fieldsOf('new')).toBe(
    'abortedLastRun compactionCount sessionFile sessionId sessionStartedAt systemSent updatedAt',
  );
  expect(fieldsOf('cleared')).toBe(
    'abortedBy authProfileOverrideCompactionCount cacheRead cacheWrite claudeCliSessionId cliSessionIds compactionCheckpoints contextBudgetStatus contextTokens droppedThinking endedAt estimatedCostUsd inputTokens lastActivityAt lastClean lastCompact lastInteractionAt lastRestore lastRunId lastThinkingLevel memoryFlushAt memoryFlushCompactionCount outputTokens pendingClean permissionsAdded rebuilt runtimeMs sdkSessionId skillsSnapshot startedAt status systemPromptReport totalTokens totalTokensFresh',
  );
  expect(fieldsOf('kept')).toBe(
    'agentHarnessId authProfileOverride authProfileOverrideSource channel chatType delivery deliveryContext displayName elevatedLevel execAsk execHost execNode execSecurity fallbackNoticeActiveModel fallbackNoticeReason fallbackNoticeSelectedModel groupActivation groupActivationNeedsSystemIntro groupChannel groupId label lastAccountId lastChannel lastHeartbeatSentAt lastHeartbeatText lastThreadId lastTo model modelOverride modelProvider origin providerOverride queueCap queueDebounceMs queueDrop queueMode reasoningLevel responseUsage route sendPolicy space spawnedBy subject thinkingLevel ttsAuto verboseLevel',
  );
});

it('unknown fields are kept, except those that refer to the old session', () => {
  const unknown = { futureField: { a: [1, 2] }, forkedFromParent: true };
  const held = Object.fromEntries(FOREIGN_FIELDS_CLEARED.map((field) => [field, 'x']));
  const next = startNextEntry({ sessionId: 'old', updatedAt: 1, ...unknown, ...held } as SessionEntry, fresh);
  expect(next).toEqual({ ...startNextEntry(undefined, fresh), ...unknown });
});

it('a reset ends the effect of a clock that was ahead', () => {
  expect(startNextEntry({ sessionId: 'old', updatedAt: NOW * 2 }, fresh).updatedAt).toBe(NOW);
});

it('whatever an entry holds: never the old id, never the old figures', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(RESET_RULES)), fc.jsonValue()), (previous) => {
      const next = startNextEntry(previous as never, fresh);
      expect(next).toMatchObject({
        sessionId: 'next',
        updatedAt: NOW,
        compactionCount: 0,
        systemSent: false,
      });
      expect(readSdkSessionId(next)).toBeUndefined();
      expect(next.totalTokens).toBeUndefined();
    }),
  );
});

it('every entry of a real store, by trigger and by call', async () => {
  const real = JSON.parse(readFileSync(STORE, 'utf8')) as Record<string, SessionEntry>;
  agent.writeStore(real);
  const newId = countingIds('fresh');
  for (const [sessionKey, before] of Object.entries(real)) {
    await resetSession({ storePath: agent.storePath, sessionKey, now: () => NOW, newId });
    const ctx = { SessionKey: sessionKey, Body: '/new', CommandAuthorized: true };
    await initSessionState({ ctx, cfg: {}, storePath: agent.storePath, now: () => NOW, newId });
    const after = agent.entry(sessionKey);
    expect(Object.keys(after)).not.toContain('skillsSnapshot');
    expect(after.model).toBe(before.model);
    expect(after.sessionId).toMatch(/^fresh-/);
  }
});
