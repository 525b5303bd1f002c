/** Methods that OpenClaw does not have: what pages and commands of openbot show and do. */
import { normalizeAgentId, parseAgentSessionKey } from '@openbot/sessions';
import { parseSince, type Since } from '../config/since.ts';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, flag, integer, listOf, maybe, oneOf } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { changeLetters } from '../kept-messages/change-letters.ts';
import { type Letter, lookIntoLetters, lookIntoMessages } from '../kept-messages/look-into-messages.ts';
import { readKeptEntry } from '../kept-sessions/files/kept-entry.ts';
import { openCalendar } from '../usage/calendar.ts';
import { GROUPINGS } from '../usage/group-usage.ts';
import { announceChange } from './announce.ts';
import { readQuery, searchIndex } from './search-index.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';
import {
  assertAgent,
  defaultAgentOf,
  isBound,
  reachableRef,
  storedOf,
  visibleAgents,
} from './sessions/session-ref.ts';
import { keeperOf } from './sessions/stop-run.ts';

type Call = MethodCall<GatewayServices>;

const search = gatewayMethod({
  name: 'openbot.search',
  scope: 'operator.read',
  params: {
    query: filledText,
    limit: maybe(integer({ least: 1, most: 200 })),
    agentId: maybe(filledText),
    channel: maybe(filledText),
    role: maybe(oneOf('user', 'assistant', 'tool', 'system', 'summary')),
    since: maybe(filledText),
    tools: maybe(flag),
  },
  handle: async ({ query, limit = 10, agentId, channel, role, since, tools }, call) => {
    const wanted = agentId === undefined ? undefined : normalizeAgentId(agentId);
    const agentIds = visibleAgents(call).filter((id) => wanted === undefined || id === wanted);
    if (agentIds.length === 0) return { hits: [], more: false };
    const now = call.services.now();
    const found = await searchIndex(call, {
      query: readQuery(query),
      texts: tools || role === 'tool' ? ['said', 'tools'] : ['said'],
      agentIds,
      channel,
      speaker: role,
      since: since === undefined ? undefined : momentOf(parseSince('since', since, now)),
      limit: limit + 1,
    });
    return {
      hits: found
        .slice(0, limit)
        .map(({ messageId: _id, path: _path, root: _root, speaker, snippet, ...hit }) => ({
          ...hit,
          role: speaker,
          snippet: { text: snippet.text, highlights: snippet.hits.map(([start, end]) => ({ start, end })) },
        })),
      more: found.length > limit,
    };
  },
});

/** A day begins in the time of this machine. */
function momentOf(since: Since): number {
  return since.day === undefined ? since.at : new Date(`${since.day}T00:00`).getTime();
}

const inbox = gatewayMethod({
  name: 'openbot.inbox',
  scope: 'operator.read',
  params: { agentId: maybe(filledText) },
  handle: ({ agentId }, { services, caller }) => {
    const { waiting = [], failed } = lookIntoMessages(services.stateDir) ?? {};
    const wanted = agentId === undefined ? undefined : normalizeAgentId(agentId);
    return {
      waiting: waiting.filter(
        (one) => mayReach(caller, one.agentId) && (wanted ?? one.agentId) === one.agentId,
      ),
      ...(!isBound(caller) && { failed: failed ?? 0 }),
    };
  },
});

const USUAL_LETTERS = 50;

const outbox = gatewayMethod({
  name: 'openbot.outbox',
  scope: 'operator.read',
  params: { all: maybe(flag), limit: maybe(integer({ least: 1 })) },
  handle: ({ all, limit = USUAL_LETTERS }, call) => {
    const counts = lookIntoMessages(call.services.stateDir)?.outbox;
    return {
      letters: lettersOf(call, all).slice(0, limit),
      ...(!isBound(call.caller) && { counts }),
    };
  },
});

function lettersOf({ services, caller }: Call, all = false): readonly Letter[] {
  const letters = lookIntoLetters(services.stateDir, { limit: Number.MAX_SAFE_INTEGER, all });
  return letters.filter(({ agentId }) => mayReach(caller, agentId));
}

const LETTERS = { ids: maybe(listOf(integer({ least: 1 }))), all: maybe(flag) } as const;

const retry = gatewayMethod({
  name: 'openbot.outbox.retry',
  scope: 'operator.write',
  params: LETTERS,
  handle: async (params, call) => ({ retried: await changeThose(params, call, 'retry') }),
});

const drop = gatewayMethod({
  name: 'openbot.outbox.drop',
  scope: 'operator.admin',
  params: LETTERS,
  handle: async (params, call) => ({ dropped: await changeThose(params, call, 'drop') }),
});

/** All dead ones, or those of the ids; by its id one that waits can be dropped too. */
function changeThose(
  { ids, all }: { readonly ids?: readonly number[]; readonly all?: boolean },
  call: Call,
  change: 'retry' | 'drop',
): Promise<readonly number[]> {
  if ((ids === undefined) === (all !== true))
    throw refuse('INVALID_REQUEST', 'Either ids or all is required');
  const letters = lettersOf(call, change === 'drop' && ids !== undefined).filter(
    ({ state }) => state !== 'sending',
  );
  const missing = ids?.find((id) => !letters.some((letter) => letter.id === id));
  if (missing !== undefined)
    throw refuse('INVALID_REQUEST', `There is no ${change === 'drop' ? '' : 'dead '}letter ${missing}`, {
      details: { reason: 'LETTER_NOT_FOUND' },
    });
  const chosen = letters.filter(({ id }) => ids?.includes(id) ?? true);
  return changeLetters(call.services.stateDir, chosen, change);
}

const usage = gatewayMethod({
  name: 'openbot.usage',
  scope: 'operator.read',
  params: {
    by: maybe(oneOf(...GROUPINGS)),
    since: maybe(filledText),
    until: maybe(filledText),
    timezone: maybe(filledText),
    agentId: maybe(filledText),
    limit: maybe(integer({ least: 1 })),
  },
  handle: async ({ by = 'day', since, until, timezone, agentId, limit }, call) => {
    const { worker, now } = call.services;
    const calendar = openZone(timezone);
    const dayOf = (name: string, text: string | undefined) => {
      const moment = text === undefined ? undefined : parseSince(name, text, now());
      return moment && (moment.day ?? calendar(moment.at));
    };
    return worker.run(
      'usage',
      {
        by,
        timezone,
        since: dayOf('since', since),
        until: dayOf('until', until),
        agentId: agentOfUsage(call, agentId),
        limit,
        now: now(),
      },
      call,
    );
  },
});

function openZone(timezone: string | undefined) {
  try {
    return openCalendar(timezone);
  } catch {
    throw refuse('INVALID_REQUEST', `There is no time zone '${timezone}'`);
  }
}

/** A caller for one agent is given the usage of that one; with several it says which. */
function agentOfUsage(call: Call, agentId: string | undefined): string | undefined {
  const asked = agentId === undefined ? undefined : normalizeAgentId(agentId);
  if (asked !== undefined) assertAgent(call, asked);
  if (asked !== undefined || !isBound(call.caller)) return asked;
  const own = visibleAgents(call);
  if (own.length === 1) return own[0];
  throw refuse('INVALID_REQUEST', `agentId required: ${own.join(', ')}`);
}

const restore = gatewayMethod({
  name: 'openbot.sessions.restore',
  scope: 'operator.admin',
  params: { sessionId: filledText, agentId: maybe(filledText), key: maybe(filledText) },
  handle: async ({ sessionId, agentId, key }, call) => {
    const { services } = call;
    const owner = agentId === undefined ? defaultAgentOf(call) : normalizeAgentId(agentId);
    assertAgent(call, owner);
    const wanted = key === undefined ? undefined : reachableRef(call, key, owner);
    const keeper = keeperOf(services, owner);
    const archive = keeper
      .listArchives(sessionId)
      .find(({ kind, path }) => kind !== 'backup' && mayBeOf(owner, readKeptEntry(path)?.key));
    if (archive === undefined) throw refuse('INVALID_REQUEST', `There is no archive of session ${sessionId}`);
    const isThere = wanted !== undefined && (await storedOf(services, wanted)) !== undefined;
    const changes = await keeper.openChanges();
    const { path: _path, ...done } = await changes.restore(archive, wanted?.sessionKey);
    const ref = reachableRef(call, done.key, owner);
    await announceChange(services, ref, { reason: isThere ? 'reset' : 'create' });
    return { ok: true, agentId: owner, ...done };
  },
});

/** Agents may share one folder. */
function mayBeOf(agentId: string, key: string | undefined): boolean {
  return (parseAgentSessionKey(key)?.agentId ?? agentId) === agentId;
}

export const OWN_METHODS = [search, inbox, outbox, retry, drop, usage, restore];
