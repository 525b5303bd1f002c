/** The rows of `openclaw sessions --json`, field by field, of the two kinds of OpenClaw. */
import { parseAgentSessionKey, type StoredSession } from '@openbot/sessions';
import type { SessionRow } from '../contract.ts';
import { type ModelFacts, type ModelRef, parseModelRef } from './model-facts.ts';
import {
  ageOf,
  classifyKind,
  findPolicyKey,
  implicitRuntime,
  type ListedEntry,
  readOverride,
  readTotal,
  USUAL_WINDOW,
} from './row-parts.ts';

/** What each of them answers with where nothing is configured. */
const FILE_DEFAULT = { provider: 'openai', model: 'gpt-5.5' };
const DATABASE_DEFAULT = { provider: 'openai', model: 'gpt-6-astra' };

/** As OpenClaw 2026.7 lists what is kept in files. */
export function makeFileRow(
  { key, entry }: StoredSession,
  storeAgentId: string,
  models: ModelFacts,
  now: number,
): SessionRow {
  const listed = entry as ListedEntry;
  const agentId = parseAgentSessionKey(key)?.agentId ?? storeAgentId;
  const usual = models.defaultOf(agentId, FILE_DEFAULT);
  const ref =
    readOverride(entry, usual.provider) ??
    (entry.model ? parseModelRef(entry.model, entry.modelProvider ?? usual.provider) : usual);
  const total = readTotal(entry);
  const { origin = {}, deliveryContext = {} } = entry;
  return {
    key,
    ...ageOf(entry, now),
    sessionId: entry.sessionId,
    ...pick(listed, ['sessionFile'], ...LINEAGE, ...STATE, ...LEVELS),
    totalTokens: total ?? null,
    totalTokensFresh: total !== undefined && entry.totalTokensFresh !== false,
    model: ref.model,
    modelProvider: ref.provider,
    ...pick(listed, ['providerOverride', 'modelOverride']),
    contextTokens:
      entry.contextTokens ??
      models.contextTokens ??
      windowOf(ref.model, models) ??
      usualWindow(models, FILE_DEFAULT),
    agentId,
    acpRuntime: listed.acp !== undefined,
    agentRuntime: implicitRuntime(ref, models),
    kind: classifyKind(key, entry),
    runtimePolicySessionKey: findPolicyKey(
      key,
      agentId,
      {
        ...origin,
        chatType: origin.chatType ?? entry.chatType,
        channel:
          origin.provider ?? deliveryContext.channel ?? entry.lastChannel ?? entry.channel ?? origin.surface,
        to: origin.to ?? deliveryContext.to ?? entry.lastTo,
        accountId: origin.accountId ?? deliveryContext.accountId ?? entry.lastAccountId,
      },
      models,
    ),
  };
}

/** As OpenClaw 2026.9 lists what is kept in a database. */
export function makeDatabaseRow(
  { key, entry }: StoredSession,
  storeAgentId: string,
  models: ModelFacts,
  now: number,
): SessionRow {
  const listed = entry as ListedEntry;
  const agentId = parseAgentSessionKey(key)?.agentId ?? storeAgentId;
  const usual = models.defaultOf(agentId, DATABASE_DEFAULT);
  const ref = readOverride(entry, usual.provider) ?? readModel(listed) ?? usual;
  const agentRuntime = readRuntime(listed) ?? implicitRuntime(ref, models);
  const total = readTotal(entry);
  const delivery = entry.delivery?.kind === 'external' ? entry.delivery : {};
  const { origin, context } = delivery as Record<string, Record<string, unknown> | undefined>;
  return {
    key,
    ...ageOf(entry, now),
    sessionId: entry.sessionId,
    ...pick(listed, ...LINEAGE),
    forkedFromParent: listed.forkSource !== undefined || listed.forkedFromParent === true ? true : undefined,
    ...pick(listed, ['sessionStartedAt', 'lastInteractionAt', 'label', 'color', 'status']),
    visibility: listed.visibility ?? 'shared',
    ...pick(listed, ['createdActor', 'owner', 'participants', 'participantCount'], ...LEVELS),
    totalTokens: total ?? null,
    totalTokensFresh:
      total !== undefined && entry.totalTokensFresh === true && listed.totalTokensVersion === 1,
    ...pick(listed, ['totalTokensVersion']),
    model: ref.model,
    modelProvider: ref.provider,
    ...pick(listed, ['providerOverride', 'modelOverride']),
    contextTokens:
      resolveWindow(listed, ref, agentRuntime.id, models) ?? usualWindow(models, DATABASE_DEFAULT),
    agentId,
    acpRuntime: listed.acp !== undefined,
    agentRuntime,
    kind: classifyKind(key, entry),
    runtimePolicySessionKey: findPolicyKey(
      key,
      agentId,
      {
        ...origin,
        chatType: origin?.chatType ?? entry.chatType,
        channel: origin?.provider ?? context?.channel ?? origin?.surface,
        to: origin?.to ?? context?.to,
        accountId: origin?.accountId ?? context?.accountId,
      },
      models,
    ),
  };
}

const LINEAGE = [
  ['spawnedBy', 'spawnedWorkspaceDir', 'spawnedCwd', 'parentSessionKey', 'forkedFromParent', 'spawnDepth'],
  ['subagentRole', 'subagentControlScope'],
] as const;
const STATE = [['sessionStartedAt', 'lastInteractionAt', 'label', 'status']] as const;
const LEVELS = [
  ['systemSent', 'abortedLastRun', 'thinkingLevel', 'verboseLevel', 'traceLevel', 'reasoningLevel'],
  ['elevatedLevel', 'responseUsage', 'groupActivation', 'inputTokens', 'outputTokens'],
] as const;

function pick(entry: ListedEntry, ...groups: readonly (readonly string[])[]): Record<string, unknown> {
  return Object.fromEntries(groups.flat().map((field) => [field, entry[field]]));
}

/** That of the default model, also of agents that have one of their own. */
function usualWindow(models: ModelFacts, fallback: ModelRef): number {
  return windowOf(models.defaultOf(undefined, fallback).model, models) ?? USUAL_WINDOW;
}

function windowOf(model: string, models: ModelFacts): number | undefined {
  const window = models.windowOfModel(model);
  return window?.contextTokens ?? window?.contextWindow;
}

function readModel({ model, modelProvider }: ListedEntry): ModelRef | undefined {
  if (!model) return undefined;
  return modelProvider ? { provider: modelProvider, model } : parseModelRef(model, 'openai');
}

/** The runtime that an entry names; `pi` is what OpenClaw calls its own today. */
function readRuntime({ agentRuntimeOverride, agentHarnessId }: ListedEntry) {
  const named = [agentRuntimeOverride, agentHarnessId]
    .map((name) => (typeof name === 'string' ? name.trim().toLowerCase() : ''))
    .find((name) => name !== '' && name !== 'auto' && name !== 'default');
  return named === undefined ? undefined : { id: named === 'pi' ? 'openclaw' : named, source: 'session' };
}

/** The window of the model as it is configured; one that a run recorded counts only for the model that it ran with. */
function resolveWindow(
  entry: ListedEntry,
  ref: ModelRef,
  runtimeId: string,
  models: ModelFacts,
): number | undefined {
  const configured = models.windowOf(ref);
  const native = nativeWindowOf(ref) ?? configured?.contextWindow;
  const authored = configured?.contextTokens;
  if (authored !== undefined) return native === undefined ? authored : Math.min(authored, native);
  const resolved = native ?? windowOf(ref.model, models);
  const recorded = isRecordedFor(entry, ref, runtimeId) ? entry.contextTokens : undefined;
  if (entry.contextTokensSource === 'runtime' && recorded !== undefined) {
    return resolved === undefined ? recorded : Math.min(recorded, resolved);
  }
  return resolved ?? (entry.contextTokensSource === 'resolved-v1' ? recorded : undefined);
}

function isRecordedFor(entry: ListedEntry, { provider, model }: ModelRef, runtimeId: string): boolean {
  const { agentHarnessId, modelProvider } = entry;
  const isSame = (one: string | undefined, other: string) =>
    one?.trim().toLowerCase() === other.toLowerCase();
  return isSame(agentHarnessId, runtimeId) && isSame(modelProvider, provider) && isSame(entry.model, model);
}

/** Models of Anthropic whose window OpenClaw knows, whatever is configured. */
function nativeWindowOf({ provider, model }: ModelRef): number | undefined {
  if (!/^anthropic(?:-vertex)?$/i.test(provider)) return undefined;
  return LARGE_CLAUDE.test(model.toLowerCase()) ? 1_000_000 : undefined;
}

const LARGE_CLAUDE =
  /(?:^|-)claude-(?:fable-5|mythos-(?:5|preview)|opus-(?:4-[678]|5)|sonnet-(?:5|4-6))(?=$|[^a-z0-9])/;
