import { randomUUID } from 'node:crypto';
import { type MsgContext, OpenBotError, parseAgentSessionKey } from '@openbot/sessions';
import { shareOneStore } from '../config/agents.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import { laneOf } from '../queue/contract.ts';
import { isStorageTrouble } from '../queue/storage-trouble.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import type { TurnReport } from '../turn/turn-tools.ts';
import type { BotParts } from './bot-parts.ts';
import { type SayRequest, type SayResult, WITHDRAWN } from './contract.ts';
import { type EndedTurn, findEnd } from './find-end.ts';
import { findPlace } from './find-place.ts';
import { abortedReport, GONE } from './may-retry.ts';
import { pruneSometimes } from './prune-sometimes.ts';
import { checkModel, readWish } from './read-wish.ts';

/** How long a delivery may take before the command ends without it; the reply stays in the outbox. */
const DELIVERY_MS = 30_000;

/** One turn for the person at this machine. */
export async function say(parts: BotParts, request: SayRequest): Promise<SayResult> {
  const startedAt = performance.now();
  const { agentId, sessionKey } = await findPlaceOf(parts, request);
  refuseSharedSession(parts, { agentId, sessionKey });
  const session = { agentId, sessionKey };
  const [wish] = await Promise.all([readWish(parts, request, session), checkModel(parts, session)]);
  const identity = {
    channel: parts.local.name,
    accountId: parts.local.accountId,
    conversationId: addressOf({ agentId, sessionKey }),
    messageId: request.messageId ?? randomUUID(),
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
  pruneSometimes(parts.state, parts.options, message.seq, parts.tools.now());
  const { report, turnId } = await waitForTurn(parts, message, request);
  const delivered = await waitForDelivery(parts, wish?.deliverTo, turnId);
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

async function findPlaceOf({ options, state }: BotParts, request: SayRequest): Promise<SessionRef> {
  if (request.message.trim() === '') {
    throw new OpenBotError('USAGE', 'The message is empty', { hint: 'Example: openbot agent -m "hello"' });
  }
  return findPlace({ ...options, env: request.env ?? options.env, state }, request);
}

function refuseSharedSession({ options }: BotParts, { agentId, sessionKey }: SessionRef): void {
  if (parseAgentSessionKey(sessionKey) !== null || !shareOneStore(options.config, options.stateDir)) return;
  throw new OpenBotError('USAGE', `The session ${sessionKey} names no agent, and the agents have one store`, {
    hint: `Name a session of one agent, such as agent:${agentId}:main, or put {agentId} into session.store`,
  });
}

/** Also when another process, which holds the run lock, takes the message into one of its turns. */
async function waitForTurn(parts: BotParts, message: InboxMessage, request: SayRequest): Promise<EndedTurn> {
  const { state, dispatcher, watchers } = parts;
  const { seq, sessionKey, agentId } = message;
  const { promise, resolve, reject } = Promise.withResolvers<EndedTurn>();
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
    findEndOf(parts, seq).then(
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
    // Said again, it may have its end.
    if (request.messageId !== undefined) look();
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

async function findEndOf({ state, options }: BotParts, seq: number): Promise<EndedTurn | undefined> {
  const message = await state.inbox.get(seq);
  return message && findEnd({ state, config: options.config }, message);
}

/** Takes back a message that no turn has begun. Undefined when one has: it is waited for. */
async function withdraw({ state }: BotParts, { seq }: InboxMessage): Promise<EndedTurn | undefined> {
  const end = { state: 'dropped', reason: WITHDRAWN } as const;
  const [withdrawn] = await state.inbox.move([seq], end, ['received', 'queued']);
  if (withdrawn === undefined) return undefined;
  return { report: abortedReport('The message was withdrawn before the agent read it'), turnId: '' };
}

/** Ends the wait for a turn that has begun and does not run in this process now. */
async function leave(parts: BotParts, message: InboxMessage): Promise<EndedTurn> {
  const { state } = parts;
  const { seq } = message;
  const ended = await findEndOf(parts, seq).catch(() => undefined);
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
