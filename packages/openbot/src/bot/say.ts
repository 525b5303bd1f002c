import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type MsgContext, OpenBotError, parseAgentSessionKey, type StoredSession } from '@openbot/sessions';
import {
  assertAgentKnown,
  chooseAgentId,
  listAgentIds,
  resolveAgentSettings,
  shareOneStore,
} from '../config/agents.ts';
import { CONFIG_FILE_NAME } from '../config/load-config.ts';
import { indexModels, modelNotFound, resolveModel } from '../config/models.ts';
import type { InboxMessage, TurnWish } from '../inbox/contract.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import { laneOf } from '../queue/contract.ts';
import { isStorageTrouble } from '../queue/storage-trouble.ts';
import { resolveAddress } from '../routing/request-route.ts';
import { addressOf, canonicalRef, type SessionRef } from '../session-address.ts';
import type { TurnReport } from '../turn/turn-tools.ts';
import type { BotParts } from './bot-parts.ts';
import type { SayRequest, SayResult } from './contract.ts';
import { findEntry } from './find-entry.ts';
import { abortedReport, GONE } from './may-retry.ts';
import { pruneSometimes } from './prune-sometimes.ts';

/** How long a delivery may take before the command ends without it; the reply stays in the outbox. */
const DELIVERY_MS = 30_000;

/** One turn for the person at this machine. */
export async function say(parts: BotParts, request: SayRequest): Promise<SayResult> {
  const startedAt = performance.now();
  const { agentId, sessionKey } = await findPlace(parts, request);
  refuseSharedSession(parts, { agentId, sessionKey });
  const wish = await readWish(parts, request, agentId, sessionKey);
  const identity = {
    channel: parts.local.name,
    accountId: parts.local.accountId,
    conversationId: addressOf({ agentId, sessionKey }),
    messageId: randomUUID(),
  };
  const ctx = contextOf(request);
  const { message } = await parts.state.inbox.accept({
    identity,
    agentId,
    sessionKey,
    ctx,
    wish,
    kind: parts.read({ identity, agentId, ctx }).kind,
    receivedAt: parts.tools.now(),
  });
  pruneSometimes(parts.state, message.seq, parts.tools.now());
  const { report, turnId } = await waitForTurn(parts, message, request);
  const delivered = await waitForDelivery(parts, wish.deliverTo, turnId);
  return {
    turnId,
    agentId,
    sessionKey,
    sessionId: report.sessionId,
    provider: report.provider,
    model: report.model,
    payloads: report.payloads,
    usage: report.usage,
    lastUsage: report.lastUsage,
    compactions: report.compactions,
    outcome: report.outcome,
    error: report.error ?? describeAbort(report),
    durationMs: Math.round(performance.now() - startedAt),
    delivered,
  };
}

/** The person at the machine owns the bot, and no chat network knows of the message. */
function contextOf({ message }: SayRequest): MsgContext {
  return { RawBody: message, ChatType: 'direct', CommandAuthorized: true };
}

async function findPlace({ options, state }: BotParts, request: SayRequest): Promise<SessionRef> {
  const { config, stateDir } = options;
  if (request.message.trim() === '') {
    throw new OpenBotError('USAGE', 'The message is empty', { hint: 'Example: openbot agent -m "hello"' });
  }
  const chosen = chooseAgentId({ ...options, flag: request.agentId });
  if (request.sessionId !== undefined) {
    const agents = request.agentId === undefined ? listAgentIds(config, stateDir) : [chosen];
    for (const agentId of agents) {
      const sessions: readonly StoredSession[] = await state.storeOf(agentId).list();
      const found = sessions.find(({ entry }) => entry.sessionId === request.sessionId);
      // Agents may share a store.
      const owner = found && parseAgentSessionKey(found.key)?.agentId;
      if (found !== undefined) {
        return canonicalRef(config.session, { agentId: owner ?? agentId, sessionKey: found.key });
      }
    }
    throw new OpenBotError('SESSION_NOT_FOUND', `There is no session ${request.sessionId}`, {
      hint: `Sessions of ${agents.join(', ')} were looked at. Leave --session-id out to use the main session.`,
    });
  }
  const { agentId, sessionKey } = resolveAddress({
    ...request,
    config,
    agentId: request.agentId && chosen,
    fallbackAgentId: chosen,
  });
  assertAgentKnown({ config, stateDir, agentId });
  return canonicalRef(config.session, { agentId, sessionKey });
}

function refuseSharedSession({ options }: BotParts, { agentId, sessionKey }: SessionRef): void {
  if (parseAgentSessionKey(sessionKey) !== null || !shareOneStore(options.config, options.stateDir)) return;
  throw new OpenBotError('USAGE', `The session ${sessionKey} names no agent, and the agents have one store`, {
    hint: `Name a session of one agent, such as agent:${agentId}:main, or put {agentId} into session.store`,
  });
}

async function readWish(
  { options, tools, state }: BotParts,
  request: SayRequest,
  agentId: string,
  sessionKey: string,
): Promise<TurnWish> {
  const { config, stateDir, env } = options;
  const agent = resolveAgentSettings({ config, agentId, stateDir, env });
  const models = indexModels(agent);
  // Read also to learn of a store that cannot be read before anything is kept.
  const entry = await findEntry(state, config, { agentId, sessionKey });
  const asked = request.model ?? `${models.defaultProvider}/${models.defaultModel}`;
  const { provider, model } = resolveModel(asked, models);
  const runner = await tools.findRunner(provider, agent.runner);
  if (runner?.describeModel(provider, model) === undefined) {
    throw modelNotFound(asked, models, join(stateDir, CONFIG_FILE_NAME));
  }
  return {
    model: request.model === undefined ? undefined : `${provider}/${model}`,
    thinkingLevel: request.thinking,
    verboseLevel: request.verbose,
    timeoutMs: request.timeoutMs,
    deliverTo: request.deliver && findTarget(options.channels ?? [], request.deliver, entry?.deliveryContext),
  };
}

function findTarget(
  channels: NonNullable<BotParts['options']['channels']>,
  wanted: NonNullable<SayRequest['deliver']>,
  last: { channel?: string; to?: string; accountId?: string; threadId?: string | number } | undefined,
): DeliveryTarget {
  const isLast = wanted.channel === undefined || wanted.channel === 'last';
  const name = isLast ? last?.channel : wanted.channel;
  const isSame = name !== undefined && name === last?.channel;
  const accountId = wanted.accountId ?? (isSame ? last.accountId : undefined);
  const to = wanted.to ?? (isSame ? last.to : undefined);
  const channel = channels.find(
    (one) => one.name === name && (accountId === undefined || one.accountId === accountId),
  );
  if (channel === undefined) {
    const names = channels.map((one) => one.name);
    const open = names.length === 0 ? 'No channel is open in this process' : `Open are: ${names.join(', ')}`;
    throw new OpenBotError(
      'USAGE',
      name === undefined
        ? 'The session has no channel to deliver to'
        : `There is no channel ${name} to deliver to`,
      { hint: `${open}. Leave --deliver out to print the reply only.` },
    );
  }
  if (to === undefined) {
    throw new OpenBotError('USAGE', `The reply has no recipient on ${channel.name}`, {
      hint: 'Name one with --reply-to <recipient>.',
    });
  }
  const threadId = isSame && to === last.to ? last.threadId : undefined;
  return { channel: channel.name, accountId: channel.accountId, to, threadId };
}

interface Ended {
  readonly report: TurnReport;
  readonly turnId: string;
}

/** Also when another process, which holds the run lock, takes the message into one of its turns. */
async function waitForTurn(parts: BotParts, message: InboxMessage, request: SayRequest): Promise<Ended> {
  const { state, dispatcher, watchers } = parts;
  const { seq, sessionKey, agentId } = message;
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  let isStarted = false;
  watchers.set(seq, {
    sessionKey,
    isAborted: () => request.signal?.aborted === true,
    showsTools: request.showsTools,
    asker: request.asker,
    onEvent: (event) => {
      isStarted ||= event.type === 'started';
      request.onEvent?.(event);
    },
    onFailed: () => {
      isStarted = false;
      look();
    },
    onReport: (report, turnId) => resolve({ report, turnId }),
  });
  const abort = () => {
    if (isStarted && dispatcher.abort(addressOf(message))) return;
    withdraw(parts, message).then((ended) => {
      if (ended !== undefined) resolve(ended);
      // False when the session waits for the next try, or another process runs the message.
      else if (!dispatcher.abort(addressOf(message))) leave(parts, message).then(resolve, reject);
    }, reject);
  };
  const look = () => {
    if (isStarted || request.signal?.aborted || !watchers.has(seq)) return;
    findEnd(parts, seq).then(
      (ended) => ended && resolve(ended),
      (error) => (isStorageTrouble(error) ? setTimeout(look, LOOK_AGAIN_MS) : reject(error)),
    );
  };
  const stopLooking = state.inbox.onChange(look);
  const lane = laneOf(parts.tools.kindOf(message));
  // What is asked of the bot itself waits for no run.
  const announce = async () => {
    const behind = await findWait(parts, message);
    if (isStarted || !watchers.has(seq)) return;
    if (behind !== undefined) request.onEvent?.({ type: 'waiting', behind });
    // On a busy machine nothing holds the session yet.
    else timer = setTimeout(announce, WAIT_NOTICE_MS);
  };
  let timer = lane === 'turns' ? setTimeout(announce, WAIT_NOTICE_MS) : undefined;
  request.signal?.addEventListener('abort', abort, { once: true });
  try {
    dispatcher.wake(sessionKey, agentId, lane);
    if (request.signal?.aborted) abort();
    return await promise;
  } finally {
    clearTimeout(timer);
    stopLooking();
    request.signal?.removeEventListener('abort', abort);
    watchers.delete(seq);
  }
}

const WAIT_NOTICE_MS = 300;
const LOOK_AGAIN_MS = 200;

/** What the message waits for. Undefined where that is not known yet, and where its own turn takes long to begin. */
async function findWait({ state }: BotParts, message: InboxMessage): Promise<string | undefined> {
  const holder = await state.runLock.holder(addressOf(message)).catch(() => undefined);
  if (holder === undefined || !holder.isOwn) return holder?.description;
  const waiting = await state.inbox.waiting(message).catch(() => []);
  const isBehind = waiting.some(({ seq }) => seq < message.seq);
  return isBehind ? 'the answer to an earlier message of this session' : undefined;
}

/** The end of a message whose turn ran in another process; undefined while it has none. */
async function findEnd({ state, options }: BotParts, seq: number): Promise<Ended | undefined> {
  const message = await state.inbox.get(seq);
  if (message === undefined || message.state === 'received' || message.state === 'queued') return undefined;
  if (message.state === 'running') return undefined;
  const entry = await findEntry(state, options.config, message);
  const turnId = 'turnId' in message ? (message.turnId ?? '') : '';
  const replies = turnId === '' ? [] : await state.outbox.ofTurn(turnId);
  const payloads = replies
    .filter(({ target }) => target.channel === message.identity.channel)
    .map(({ payload }) => payload);
  const report: TurnReport = {
    sessionId: entry?.sessionId ?? '',
    provider: entry?.modelProvider ?? '',
    model: entry?.model ?? '',
    payloads,
    compactions: 0,
    outcome: message.state === 'answered' ? (payloads.length === 0 ? 'silent' : 'answered') : 'failed',
    ...(message.state === 'failed' && { error: { message: message.error } }),
    ...(message.state === 'dropped' && { error: { message: `The message was dropped: ${message.reason}` } }),
  };
  return { report, turnId };
}

const WITHDRAWN = 'withdrawn by its sender';

/** Takes back a message that no turn has begun. Undefined when one has: it is waited for. */
async function withdraw({ state }: BotParts, { seq }: InboxMessage): Promise<Ended | undefined> {
  const end = { state: 'dropped', reason: WITHDRAWN } as const;
  const [withdrawn] = await state.inbox.move([seq], end, ['received', 'queued']);
  if (withdrawn === undefined) return undefined;
  return { report: abortedReport('The message was withdrawn before the agent read it'), turnId: '' };
}

/** Ends the wait for a turn that has begun and does not run in this process now. */
async function leave(parts: BotParts, message: InboxMessage): Promise<Ended> {
  const { state } = parts;
  const { seq } = message;
  const ended = await findEnd(parts, seq).catch(() => undefined);
  if (ended !== undefined) return ended;
  const holder = await state.runLock.holder(addressOf(message)).catch(() => undefined);
  if (holder !== undefined && !holder.isOwn) {
    const why = 'Another process has taken the message and answers it in the session';
    return { report: abortedReport(why), turnId: '' };
  }
  await state.inbox.move([seq], { state: 'dropped', reason: WITHDRAWN }).catch(() => []);
  return { report: abortedReport(GONE), turnId: '' };
}

const ABORTS = {
  person: 'The run was aborted',
  interrupt: 'A newer message interrupted the run',
  timeout: 'The run took too long and was aborted',
  shutdown: 'The run was aborted because the process ends',
} as const;

function describeAbort({ abortedBy }: TurnReport): { readonly message: string } | undefined {
  return abortedBy && { message: ABORTS[abortedBy] };
}

async function waitForDelivery(
  { state, sender, tools }: BotParts,
  deliverTo: DeliveryTarget | undefined,
  turnId: string,
): Promise<SayResult['delivered']> {
  if (deliverTo === undefined) return undefined;
  await sender.drain(tools.now() + DELIVERY_MS);
  const replies = await state.outbox.ofTurn(turnId);
  return replies
    .filter(({ target }) => target.channel === deliverTo.channel)
    .map(({ key, state: at }) => ({ key, state: at === 'sending' ? 'waiting' : at }));
}
