import { OpenBotError, type StoredSession } from '@openbot/sessions';
import { COMMAND_METHOD } from '../../gateway-client/contract.ts';
import {
  either,
  filledText,
  flag,
  integer,
  mapOf,
  maybe,
  number,
  oneOf,
  orNull,
  record,
  text,
  textOrNumber,
} from '../../gateway-protocol/param-shapes.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import type {
  CompactOutcome,
  KeptArchive,
  PruneLimits,
  PruneOutcome,
  RestoreOutcome,
  SessionChanges,
} from '../../kept-sessions/contract.ts';
import { openSessionFolder } from '../../kept-sessions/open-session-folder.ts';
import type { HeldRun } from '../../run-lock/contract.ts';
import { addressOf, canonicalRef } from '../../session-address.ts';
import { SESSION_SETTINGS } from '../../session-settings/table.ts';
import { announceChange, announceRemoval } from '../announce.ts';
import { type GatewayServices, gatewayMethod } from '../services.ts';
import { compactLines } from '../sessions/stop-run.ts';

/** `openbot sessions reset|delete|compact|label|set|restore|prune`, with the outcome that they print. */
export const changeSessions = gatewayMethod({
  name: COMMAND_METHOD.changeSessions,
  scope: 'operator.admin',
  isForCommands: true,
  params: {
    agentId: filledText,
    change: oneOf('set', 'reset', 'remove', 'compact', 'restore', 'prune'),
    key: maybe(text),
    sessionId: maybe(text),
    fields: maybe(mapOf(orNull(either(textOrNumber, flag)))),
    maxLines: maybe(integer({ least: 1 })),
    archive: maybe(text),
    limits: maybe(
      record({
        maxAgeMs: maybe(number({ least: 0 })),
        maxEntries: maybe(integer({ least: 0 })),
        dryRun: maybe(flag),
      }),
    ),
  },
  handle: async ({ agentId, change, ...given }, { services, signal }) => {
    refuseUnknownFields(given.fields ?? {});
    const { stateDir, env } = services;
    const folder = await openSessionFolder(stateDir, { env, cwd: stateDir });
    const keeper = folder.open(agentId);
    let found: StoredSession | undefined;
    const how: Given = {
      ...given,
      find: async () => {
        found = await findStored(services, agentId, given);
        return found;
      },
      compact: (stored) =>
        compactLines(services, agentId, { stored, maxLines: given.maxLines, holdsRun: false }),
      findArchive: () => keeper.listArchives().find(({ path }) => path === given.archive),
    };
    const run = await holdWaiting(services, agentId, { change, ...given, signal });
    let outcome: object;
    try {
      outcome = await apply(await keeper.openChanges({ holdsRun: run !== undefined }), change, how);
    } finally {
      await run?.release();
    }
    await announce(services, agentId, describeChange(change, given, { found, outcome }));
    return plain(outcome);
  },
});

/** Those that settings have: the rest of an entry belongs to runs. */
function refuseUnknownFields(fields: Readonly<Record<string, unknown>>): void {
  const own: readonly string[] = SESSION_SETTINGS.flatMap((setting) => setting.fields);
  const known = new Set([...own, 'groupActivationNeedsSystemIntro']);
  const unknown = Object.keys(fields).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw refuse('INVALID_REQUEST', `a session has no setting with the field '${unknown}'`);
}

/**
 * Takes back a turn of the session that waits for a model: it has no lock, and would begin the session anew. Resolves to the
 * run lock, where there was such a turn.
 */
async function holdWaiting(
  { state, host, config }: GatewayServices,
  agentId: string,
  {
    change,
    key,
    sessionId,
    signal,
  }: {
    readonly change: keyof SessionChanges;
    readonly key?: string;
    readonly sessionId?: string;
    readonly signal: AbortSignal;
  },
): Promise<HeldRun | undefined> {
  if ((change !== 'reset' && change !== 'remove') || key === undefined) return undefined;
  const entry = await state.storeOf(agentId).get(key);
  // Another session by now: nothing of it is changed.
  if (entry === undefined || (sessionId ?? entry.sessionId) !== entry.sessionId) return undefined;
  const ref = canonicalRef(config.session, { agentId, sessionKey: key });
  if ((await state.inbox.waiting(ref)).length === 0) return undefined;
  const run = await state.runLock.acquire(addressOf(ref), { waitMs: 0, signal });
  if (run !== undefined) await host.calls.abort(ref, { holdsRun: true }).catch(() => false);
  return run;
}

interface Given {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly archive?: string;
  readonly key?: string;
  readonly limits?: Partial<PruneLimits>;
  find(): Promise<StoredSession>;
  compact(session: StoredSession): Promise<CompactOutcome>;
  findArchive(): KeptArchive | undefined;
}

async function apply(changes: SessionChanges, change: keyof SessionChanges, given: Given): Promise<object> {
  switch (change) {
    case 'set': {
      const fields = Object.entries(given.fields ?? {}).map(([name, value]) => [name, value ?? undefined]);
      return changes.set(await given.find(), Object.fromEntries(fields));
    }
    case 'reset':
      return changes.reset(await given.find());
    case 'remove':
      return changes.remove(await given.find());
    case 'compact':
      return given.compact(await given.find());
    case 'prune':
      return changes.prune({ dryRun: true, ...given.limits });
    case 'restore': {
      const archive = given.findArchive();
      if (archive !== undefined) return changes.restore(archive, given.key);
      throw new OpenBotError('SESSION_NOT_FOUND', `There is no archive '${given.archive}'`, {
        hint: 'It may have been put back meanwhile',
      });
    }
  }
}

/** As it is stored, with the id that the person saw: a session that began anew meanwhile is another one. */
async function findStored(
  { state }: GatewayServices,
  agentId: string,
  { key = '', sessionId }: { readonly key?: string; readonly sessionId?: string },
): Promise<StoredSession> {
  const entry = await state.storeOf(agentId).get(key);
  if (entry === undefined)
    throw new OpenBotError('SESSION_NOT_FOUND', `There is no session ${key} any more`, {
      hint: 'Nothing was changed',
    });
  return { key, entry: sessionId === undefined ? entry : { ...entry, sessionId } };
}

interface Told {
  readonly removed: readonly { readonly key: string; readonly sessionId: string }[];
  /** What became of a session that is there, in the words of `sessions.changed`. */
  readonly changed?: { readonly key: string; readonly about: Readonly<Record<string, unknown>> };
}

const NOTHING: Told = { removed: [] };

function describeChange(
  change: keyof SessionChanges,
  { limits }: Pick<Given, 'limits'>,
  { found, outcome }: { readonly found: StoredSession | undefined; readonly outcome: object },
): Told {
  if (change === 'prune')
    return limits?.dryRun === false ? { removed: (outcome as PruneOutcome).pruned } : NOTHING;
  if (change === 'restore')
    return { removed: [], changed: { key: (outcome as RestoreOutcome).key, about: { reason: 'create' } } };
  const { key, entry } = found!;
  switch (change) {
    case 'remove':
      return { removed: [{ key, sessionId: entry.sessionId }] };
    case 'compact': {
      const isDone = (outcome as CompactOutcome).reason === undefined;
      return isDone
        ? { removed: [], changed: { key, about: { reason: 'compact', compacted: true } } }
        : NOTHING;
    }
    case 'set':
      return { removed: [], changed: { key, about: { reason: 'patch' } } };
    case 'reset':
      return { removed: [], changed: { key, about: { reason: 'reset' } } };
  }
}

async function announce(
  services: GatewayServices,
  agentId: string,
  { removed, changed }: Told,
): Promise<void> {
  const refOf = (sessionKey: string) => canonicalRef(services.config.session, { agentId, sessionKey });
  for (const { key, sessionId } of removed) announceRemoval(services, refOf(key), sessionId);
  if (changed !== undefined) await announceChange(services, refOf(changed.key), changed.about);
}

/** Errors are objects without properties of their own in JSON. */
function plain(outcome: object): object {
  if (!('failed' in outcome)) return outcome;
  const failed = outcome.failed as { readonly key: string; readonly error: OpenBotError }[];
  return {
    ...outcome,
    failed: failed.map(({ key, error: { code, message, hint } }) => ({
      key,
      error: { code, message, hint },
    })),
  };
}
