import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { SessionOrigin } from '../../src/entry/session-entry.ts';
import type { DeliveryContext, SessionEntry } from '../../src/index.ts';

const FIELDS = [
  'sessionId',
  'updatedAt',
  'sessionFile',
  'spawnedBy',
  'label',
  'displayName',
  'systemSent',
  'abortedLastRun',
  'abortedBy',
  'lastHeartbeatText',
  'lastHeartbeatSentAt',
  'sdkSessionId',
  'cliSessionIds',
  'claudeCliSessionId',
  'channel',
  'lastChannel',
  'lastTo',
  'lastAccountId',
  'lastThreadId',
  'deliveryContext',
  'delivery',
  'route',
  'origin',
  'chatType',
  'groupId',
  'subject',
  'groupChannel',
  'space',
  'sendPolicy',
  'groupActivation',
  'groupActivationNeedsSystemIntro',
  'providerOverride',
  'modelOverride',
  'modelProvider',
  'model',
  'fallbackNoticeSelectedModel',
  'fallbackNoticeActiveModel',
  'fallbackNoticeReason',
  'authProfileOverride',
  'authProfileOverrideSource',
  'authProfileOverrideCompactionCount',
  'execHost',
  'execSecurity',
  'execAsk',
  'execNode',
  'permissionsAdded',
  'thinkingLevel',
  'lastThinkingLevel',
  'verboseLevel',
  'reasoningLevel',
  'elevatedLevel',
  'responseUsage',
  'ttsAuto',
  'queueMode',
  'queueDebounceMs',
  'queueCap',
  'queueDrop',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'totalTokensFresh',
  'contextTokens',
  'cacheRead',
  'cacheWrite',
  'estimatedCostUsd',
  'contextBudgetStatus',
  'compactionCount',
  'compactionCheckpoints',
  'memoryFlushAt',
  'memoryFlushCompactionCount',
  'lastClean',
  'pendingClean',
  'lastRestore',
  'lastCompact',
  'droppedThinking',
  'rebuilt',
  'sessionStartedAt',
  'lastInteractionAt',
  'lastActivityAt',
  'lastRunId',
  'status',
  'startedAt',
  'endedAt',
  'runtimeMs',
  'agentHarnessId',
  'skillsSnapshot',
  'systemPromptReport',
] as const;

type Field = (typeof FIELDS)[number];
/** Fields that anything may be put into: named, but not typed. */
type Untyped<T> = { [K in keyof T]-?: unknown extends T[K] ? K : never }[keyof T];

// The compiler checks these; `npm test` runs it over the tests.
test('the type has every field, and says what is in it', () => {
  expectTypeOf<Exclude<Field, keyof SessionEntry>>().toBeNever();
  expectTypeOf<Untyped<SessionEntry>>().toBeNever();
  expectTypeOf<keyof DeliveryContext>().toEqualTypeOf<'channel' | 'to' | 'accountId' | 'threadId'>();
  expectTypeOf<keyof SessionOrigin>().toEqualTypeOf<
    'label' | 'provider' | 'surface' | 'chatType' | 'from' | 'to' | 'accountId' | 'threadId'
  >();
  // And this list has every field of the type.
  expectTypeOf<Exclude<keyof SessionEntry, Field>>().toBeNever();
});

test.each(['2026.1.30', '2026.7.35'])('OpenClaw %s wrote no field that is not among them', (version) => {
  const file = new URL(`../../../../fixtures/openclaw-files/${version}/sessions.json`, import.meta.url);
  const store: Record<string, SessionEntry> = JSON.parse(readFileSync(file, 'utf8'));
  const met = new Set(Object.values(store).flatMap((entry) => Object.keys(entry)));
  expect([...met].filter((field) => !FIELDS.includes(field as Field))).toEqual([]);
});
