import type { StoredEntry } from '@openbot/sessions';
import { resolveAgentSettings } from '../../config/agents.ts';
import { indexModels } from '../../config/models.ts';
import type { Caller, MethodCall } from '../../gateway-protocol/method.ts';
import {
  type Check,
  filledText,
  flag,
  integer,
  maybe,
  orNull,
  type ParamsOf,
} from '../../gateway-protocol/param-shapes.ts';
import { hasScope } from '../../gateway-protocol/scopes.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import type { SessionRef } from '../../session-address.ts';
import { changeSettings, readSetting, unsetPatch } from '../../session-settings/change-settings.ts';
import type { EntryPatch, SessionSetting, SettingPlace } from '../../session-settings/contract.ts';
import { findSetting } from '../../session-settings/table.ts';
import { announceChange } from '../announce.ts';
import { kindOf } from '../rows/make-row.ts';
import { type GatewayServices, gatewayMethod } from '../services.ts';
import { assertExpectedId, assertNotMain } from './guards.ts';
import { reachableRef, sessionsOf, shownPath, storedOf } from './session-ref.ts';
import { createdNow, resolvedModel, showEntry } from './shown-entry.ts';
import { whileIdle } from './stop-run.ts';

/** One of a few words, or null, in the words of OpenClaw's schema. */
function constantOrNull<const T extends string>(...values: readonly T[]): Check<T | null | undefined> {
  const wrong = ['must be equal to constant', 'must be null', 'must match a schema in anyOf'];
  return {
    optional: true,
    fault: (value, path) =>
      value === null || (values as readonly unknown[]).includes(value)
        ? undefined
        : wrong.map((words) => `at ${path}: ${words}`).join('; '),
  };
}

const PARAMS = {
  key: filledText,
  agentId: maybe(filledText),
  expectedSessionId: maybe(filledText),
  label: maybe(orNull(filledText)),
  model: maybe(orNull(filledText)),
  thinkingLevel: maybe(orNull(filledText)),
  archived: maybe(flag),
  pinned: maybe(flag),
  verboseLevel: maybe(orNull(filledText)),
  reasoningLevel: maybe(orNull(filledText)),
  responseUsage: constantOrNull('off', 'tokens', 'full', 'on'),
  sendPolicy: constantOrNull('allow', 'deny'),
  groupActivation: constantOrNull('mention', 'always'),
  queueMode: maybe(orNull(filledText)),
  queueDebounceMs: maybe(orNull(integer({ least: 0 }))),
  queueCap: maybe(orNull(integer({ least: 1 }))),
  queueDrop: constantOrNull('old', 'new', 'summarize'),
} as const;

type Params = ParamsOf<typeof PARAMS>;

/** Params that are settings of a session: the setting, how its value is written, and whether an admin alone may. */
const SETTINGS: readonly {
  readonly param: keyof Params;
  readonly setting: string;
  readonly isAdmin?: true;
  write?(value: string | number): string;
}[] = [
  { param: 'label', setting: 'label' },
  { param: 'model', setting: 'model' },
  { param: 'thinkingLevel', setting: 'think' },
  { param: 'verboseLevel', setting: 'verbose', isAdmin: true },
  { param: 'reasoningLevel', setting: 'reasoning', isAdmin: true },
  { param: 'responseUsage', setting: 'usage', isAdmin: true },
  { param: 'sendPolicy', setting: 'send', isAdmin: true },
  { param: 'groupActivation', setting: 'activation', isAdmin: true },
  { param: 'queueMode', setting: 'queue', isAdmin: true },
  { param: 'queueDebounceMs', setting: 'queue', isAdmin: true, write: (ms) => `debounce:${ms}` },
  { param: 'queueCap', setting: 'queue', isAdmin: true, write: (cap) => `cap:${cap}` },
  { param: 'queueDrop', setting: 'queue', isAdmin: true, write: (drop) => `drop:${drop}` },
];

const patch = gatewayMethod({
  name: 'sessions.patch',
  scope: 'operator.write',
  params: PARAMS,
  isAudited: (params) => needsAdmin((params ?? {}) as Params),
  handle: async (params, call) => {
    const { services, caller } = call;
    const ref = reachableRef(call, params.key, params.agentId);
    refuseBelowAdmin(caller, params);
    const stored = await storedOf(services, ref);
    assertExpectedId(ref, stored, params.expectedSessionId);
    if (params.archived) assertNotMain(services, ref, 'archive');
    const changes = {
      ...(await readPatch(call, ref, params, stored?.entry)),
      ...readMarks(params, services.now()),
      ...(stored === undefined && createdNow(services)),
    };
    const write = () =>
      changeSettings(sessionsOf(services, ref.agentId), ref.sessionKey, changes, {
        message: {},
        now: services.now,
      });
    // What is put away does nothing any more.
    const entry = params.archived
      ? await whileIdle(services, ref, { stops: true, signal: call.signal }, write)
      : await write();
    await announceChange(services, ref, { reason: 'patch' });
    return {
      ok: true,
      path: shownPath(caller, services.state.storePathOf(ref.agentId)),
      key: ref.sessionKey,
      entry: showEntry(entry, caller),
      resolved: { ...(await resolvedModel(services, ref)), thinkingLevel: entry.thinkingLevel },
    };
  },
});

function needsAdmin(params: Params): boolean {
  return SETTINGS.some(({ param, isAdmin }) => isAdmin && params[param] !== undefined);
}

function refuseBelowAdmin({ scopes }: Caller, params: Params): void {
  if (hasScope(scopes, 'operator.admin')) return;
  if (!needsAdmin(params)) return;
  throw refuse('FORBIDDEN', 'missing scope: operator.admin', {
    details: { code: 'MISSING_SCOPE', missingScope: 'operator.admin', requiredScopes: ['operator.admin'] },
  });
}

/** All values are read before one is written. */
export async function readPatch(
  call: MethodCall<GatewayServices>,
  ref: SessionRef,
  params: Partial<Params>,
  entry?: StoredEntry,
): Promise<EntryPatch> {
  const place = await openPlace(call, ref, entry);
  const changes: EntryPatch = {};
  for (const { param, setting: name, write = String } of SETTINGS) {
    const value = params[param] as string | number | null | undefined;
    if (value === undefined) continue;
    const setting = findSetting(name)!;
    if (value === null)
      Object.assign(changes, param.startsWith('queue') ? unsetQueue(param) : unsetPatch(setting));
    else Object.assign(changes, await readValue(setting, write(value), place));
  }
  return changes;
}

/** The mode stands for all that is set of the queue. */
function unsetQueue(param: string): EntryPatch {
  return param === 'queueMode' ? unsetPatch(findSetting('queue')!) : { [param]: undefined };
}

async function readValue(setting: SessionSetting, value: string, place: SettingPlace): Promise<EntryPatch> {
  const read = await readSetting(setting, value, place);
  if (read.isRead) return read.patch;
  if (setting.name === 'model') throw refuse('INVALID_REQUEST', `model not allowed: ${value}`);
  if (setting.name === 'label' && (await place.isLabelUsed(value.trim())))
    throw refuse('INVALID_REQUEST', `label already in use: ${value.trim()}`);
  throw refuse('INVALID_REQUEST', read.problem);
}

function readMarks({ archived, pinned }: Params, now: number): object {
  return {
    ...(archived !== undefined && { archivedAt: archived ? now : undefined }),
    ...(pinned !== undefined && { pinnedAt: pinned ? now : undefined }),
  };
}

async function openPlace(
  { services }: MethodCall<GatewayServices>,
  { agentId, sessionKey }: SessionRef,
  entry: StoredEntry | undefined,
): Promise<SettingPlace> {
  const { config, stateDir, env, rows } = services;
  const agent = resolveAgentSettings({ config, agentId, stateDir, env });
  return {
    sessionKey,
    entry,
    isGroup: kindOf(sessionKey, entry?.chatType) === 'group',
    channel: entry?.lastChannel,
    agent,
    models: indexModels(agent),
    config,
    hasModel: async ({ provider, model }) => {
      const { loadRunner } = await import('../../runners/all.ts');
      const runner = await loadRunner(provider, { stateDir, config, env });
      return runner?.describeModel(provider, model) !== undefined;
    },
    isLabelUsed: async (label) =>
      (await rows.known(agentId)).some(
        ({ ref, stored }) => stored.entry.label === label && ref.sessionKey !== sessionKey,
      ),
  };
}

export const PATCH_METHODS = [patch];
