import { normalizeAgentId, type StoredSession } from '@openbot/sessions';
import type { MethodCall } from '../../gateway-protocol/method.ts';
import {
  either,
  filledText,
  flag,
  integer,
  listOf,
  maybe,
  oneOf,
  type ParamsOf,
  record,
  text,
} from '../../gateway-protocol/param-shapes.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import { addressOf, type SessionRef } from '../../session-address.ts';
import { MESSAGE_COUNTS } from '../history/message-counts.ts';
import { type HistoryMessage, readMessagesBack } from '../history/read-messages.ts';
import { modelDefaults } from '../model-defaults.ts';
import { ROW_ORDERS } from '../rows/contract.ts';
import { readWords } from '../rows/transcript-ends.ts';
import { type GatewayServices, gatewayMethod, mayReach } from '../services.ts';
import { shownPath, storedOf, visibleAgents, visibleRef } from './session-ref.ts';
import { transcriptOf } from './transcript-of.ts';

type Call = MethodCall<GatewayServices>;

const USUAL_LIMIT = 100;
/** Of sessions and of messages. OpenClaw's Control UI asks for more sessions than that, and reads how many it gets. */
const MOST_ROWS = 1000;

const LIST_PARAMS = {
  limit: maybe(integer({ least: 1 })),
  offset: maybe(integer({ least: 0 })),
  search: maybe(text),
  agentId: maybe(filledText),
  label: maybe(filledText),
  activeMinutes: maybe(integer({ least: 1 })),
  activeOnly: maybe(flag),
  spawnedBy: maybe(filledText),
  archived: maybe(either(flag, oneOf('all'))),
  hasBoard: maybe(flag),
  includeGlobal: maybe(flag),
  includeUnknown: maybe(flag),
  includeDerivedTitles: maybe(flag),
  includeLastMessage: maybe(flag),
  ownerFirst: maybe(flag),
  sortBy: maybe(oneOf(...ROW_ORDERS)),
  configuredAgentsOnly: maybe(flag),
} as const;

async function list(params: ParamsOf<typeof LIST_PARAMS>, call: Call) {
  const { services, caller } = call;
  const { offset = 0, includeDerivedTitles, includeLastMessage } = params;
  const limit = Math.min(params.limit ?? USUAL_LIMIT, MOST_ROWS);
  const agentId = params.agentId === undefined ? undefined : normalizeAgentId(params.agentId);
  const { rows, total } = await services.rows.list({
    ...params,
    agentId,
    agentIds: caller.agentIds,
    limit,
    offset,
    extras: { title: includeDerivedTitles, lastMessage: includeLastMessage },
  });
  const visible = visibleAgents(call);
  const shown = agentId === undefined ? visible : visible.filter((id) => id === agentId);
  const paths = new Set(shown.map((id) => services.state.storePathOf(id)));
  const end = offset + rows.length;
  return {
    ts: services.now(),
    path: paths.size === 1 ? shownPath(caller, [...paths][0]!) : '(multiple)',
    count: rows.length,
    totalCount: total,
    limitApplied: limit,
    nextOffset: end < total ? end : null,
    hasMore: end < total,
    owners: [],
    defaults: modelDefaults(services, visible, agentId),
    sessions: rows,
  };
}

const sessionsList = gatewayMethod({
  name: 'sessions.list',
  scope: 'operator.read',
  params: LIST_PARAMS,
  handle: list,
});

const subscribe = gatewayMethod({
  name: 'sessions.subscribe',
  scope: 'operator.read',
  params: LIST_PARAMS,
  handle: async (params, call) => {
    call.caller.subscriptions?.addSessions();
    const asksForList = Object.keys(params ?? {}).length > 0;
    return { subscribed: true, ...(asksForList && { list: await list(params, call) }) };
  },
});

const subscribeMessages = gatewayMethod({
  name: 'sessions.messages.subscribe',
  scope: 'operator.read',
  params: { key: filledText, agentId: maybe(filledText) },
  handle: ({ key, agentId }, call) => {
    const ref = visibleRef(call, key, agentId);
    // What is not there has no messages; a caller is not told which of the two it is.
    if (ref !== undefined) call.caller.subscriptions?.addMessages(addressOf(ref));
    return { subscribed: true, key: ref?.sessionKey ?? key };
  },
});

const unsubscribeMessages = gatewayMethod({
  name: 'sessions.messages.unsubscribe',
  scope: 'operator.read',
  params: { key: filledText, agentId: maybe(filledText) },
  handle: ({ key, agentId }, call) => {
    const ref = visibleRef(call, key, agentId);
    if (ref !== undefined) call.caller.subscriptions?.removeMessages(addressOf(ref));
    return { subscribed: false, key: ref?.sessionKey ?? key };
  },
});

const describe = gatewayMethod({
  name: 'sessions.describe',
  scope: 'operator.read',
  params: {
    key: filledText,
    agentId: maybe(filledText),
    includeDerivedTitles: maybe(flag),
    includeLastMessage: maybe(flag),
  },
  handle: async ({ key, agentId, includeDerivedTitles, includeLastMessage }, call) => {
    const ref = visibleRef(call, key, agentId);
    const extras = { title: includeDerivedTitles, lastMessage: includeLastMessage };
    return { session: (ref && (await call.services.rows.find(ref, extras))) ?? null };
  },
});

const PREVIEW_LIMIT = 12;
const PREVIEW_CHARS = 240;
const MOST_KEYS = 64;
/** Of each session: all of them must fit into a frame. */
const MOST_ITEMS = 200;

const preview = gatewayMethod({
  name: 'sessions.preview',
  scope: 'operator.read',
  params: {
    keys: listOf(filledText),
    limit: maybe(integer({ least: 1 })),
    maxChars: maybe(integer({ least: 20 })),
  },
  handle: async ({ keys, limit = PREVIEW_LIMIT, maxChars = PREVIEW_CHARS }, call) => ({
    ts: call.services.now(),
    previews: await Promise.all(
      keys.slice(0, MOST_KEYS).map(async (key) => {
        try {
          const ref = visibleRef(call, key);
          const stored = ref && (await storedOf(call.services, ref));
          if (ref === undefined || stored === undefined) return { key, status: 'missing', items: [] };
          const items = await readPreview(call.services, ref, stored, {
            limit: Math.min(limit, MOST_ITEMS),
            maxChars,
          });
          return { key, status: items.length === 0 ? 'empty' : 'ok', items };
        } catch {
          return { key, status: 'error', items: [] };
        }
      }),
    ),
  }),
});

async function readPreview(
  { state, stateDir }: GatewayServices,
  ref: SessionRef,
  stored: StoredSession,
  { limit, maxChars }: { readonly limit: number; readonly maxChars: number },
) {
  const { entries } = await state.transcripts.lookBack(transcriptOf(stateDir, ref, stored));
  const items: { role: string; text: string }[] = [];
  for await (const { message } of entries) {
    const words = message && readWords({ type: 'message', message });
    if (words === undefined) continue;
    items.push({ role: message!.role, text: cut(words, maxChars) });
    if (items.length === limit) break;
  }
  return items.reverse();
}

function cut(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, most - 1).toWellFormed()}…`;
}

const resolve = gatewayMethod({
  name: 'sessions.resolve',
  scope: 'operator.read',
  isListed: false,
  params: {
    key: maybe(filledText),
    sessionId: maybe(filledText),
    label: maybe(filledText),
    shortId: maybe(filledText),
    reference: maybe(record({ key: filledText })),
    agentId: maybe(filledText),
    allowMissing: maybe(flag),
  },
  handle: async (params, call) => {
    const { sessionId, label, shortId, reference, allowMissing } = params;
    const key = params.key ?? reference?.key;
    const wanted = key ?? sessionId ?? label ?? shortId;
    if (wanted === undefined)
      throw refuse('INVALID_REQUEST', 'Either key, sessionId, label, shortId, or reference is required');
    const found =
      key === undefined ? await findByName(params, call) : await findByKey(key, params.agentId, call);
    if (found !== undefined && 'candidates' in found) return { ok: false, ...found };
    if (found !== undefined) return { ok: true, key: found.sessionKey, agentId: found.agentId };
    if (allowMissing) return { ok: false };
    const isLabel = key === undefined && sessionId === undefined && label !== undefined;
    throw refuse('INVALID_REQUEST', `No session found${isLabel ? ' with label' : ''}: ${wanted}`);
  },
});

async function findByKey(key: string, agentId: string | undefined, call: Call) {
  const ref = visibleRef(call, key, agentId);
  return ref !== undefined && (await storedOf(call.services, ref)) !== undefined ? ref : undefined;
}

interface SeveralSessions {
  readonly candidates: readonly { readonly key: string; readonly agentId: string }[];
}

/**
 * By id, by label, or by the beginning of an id, which stands in the addresses of OpenClaw's page without its hyphens. A name of several
 * sessions is refused with their keys; the page lets a person choose.
 */
async function findByName(
  {
    sessionId,
    label,
    shortId,
    agentId,
  }: { sessionId?: string; label?: string; shortId?: string; agentId?: string },
  { services, caller }: Call,
): Promise<SessionRef | SeveralSessions | undefined> {
  const all = (await services.rows.known(agentId)).filter(({ ref }) => mayReach(caller, ref.agentId));
  const matches = all.filter(({ ref, stored: { entry } }) => {
    if (sessionId !== undefined) return entry.sessionId === sessionId;
    if (label !== undefined) return entry.label === label.trim();
    const ids = [entry.sessionId, /[0-9a-f-]{32,36}$/.exec(ref.sessionKey)?.[0] ?? ''];
    return ids.some((id) => plainId(id).startsWith(plainId(shortId!)));
  });
  const [first, ...others] = matches.map(({ ref }) => ref);
  if (others.length === 0) return first;
  const several = [first!, ...others].slice(0, 10);
  if (shortId !== undefined)
    return { candidates: several.map(({ sessionKey: key, agentId: owner }) => ({ key, agentId: owner })) };
  const keys = several.map(({ sessionKey }) => sessionKey);
  throw refuse('INVALID_REQUEST', `Multiple sessions found: ${keys.join(', ')}`, {
    details: { candidates: keys },
  });
}

function plainId(id: string): string {
  return id.toLowerCase().replaceAll('-', '');
}

/** Those that clients show. */
const SHOWN_ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult']);

const get = gatewayMethod({
  name: 'sessions.get',
  scope: 'operator.read',
  isListed: false,
  params: {
    key: filledText,
    limit: maybe(integer({ least: 1, most: MOST_ROWS })),
    agentId: maybe(filledText),
  },
  handle: async ({ key, limit = 200, agentId }, call) => {
    const ref = visibleRef(call, key, agentId);
    const stored = ref && (await storedOf(call.services, ref));
    if (ref === undefined || stored === undefined) return { messages: [] };
    return {
      messages: await readLast(call.services, transcriptOf(call.services.stateDir, ref, stored), limit),
    };
  },
});

/** The last messages of the active path in their order, with the numbers that `chat.history` gives them. */
async function readLast(
  { state: { transcripts } }: GatewayServices,
  transcript: ReturnType<typeof transcriptOf>,
  limit: number,
): Promise<HistoryMessage[]> {
  const total = await MESSAGE_COUNTS.count(transcript.sessionFile);
  const found: HistoryMessage[] = [];
  for await (const message of readMessagesBack(transcripts, transcript, total)) {
    if (SHOWN_ROLES.has(message.role)) found.push(message);
    if (found.length === limit) break;
  }
  return found.reverse();
}

export const SESSION_METHODS = [
  sessionsList,
  subscribe,
  subscribeMessages,
  unsubscribeMessages,
  describe,
  preview,
  resolve,
  get,
];
