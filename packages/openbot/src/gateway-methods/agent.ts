import { OpenBotError } from '@openbot/sessions';
import { findPlace } from '../bot/find-place.ts';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, flag, integer, maybe, type ParamsOf, text } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { SessionRef } from '../session-address.ts';
import { ATTACHMENTS } from './attachments.ts';
import { findWritableAccount } from './channels.ts';
import { STOP_REASONS } from './events/run-voice.ts';
import type { RunEnding } from './runs/contract.ts';
import { sendMessage } from './runs/send-message.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';
import {
  assertAgent,
  defaultAgentOf,
  isBound,
  reachableRef,
  storedOf,
  visibleAgents,
} from './sessions/session-ref.ts';

type Call = MethodCall<GatewayServices>;

const PARAMS = {
  message: text,
  idempotencyKey: filledText,
  agentId: maybe(filledText),
  sessionKey: maybe(filledText),
  sessionId: maybe(filledText),
  to: maybe(text),
  channel: maybe(text),
  accountId: maybe(text),
  replyTo: maybe(text),
  replyChannel: maybe(text),
  replyAccountId: maybe(text),
  deliver: maybe(flag),
  thinking: maybe(text),
  model: maybe(text),
  attachments: ATTACHMENTS,
  /** Seconds. */
  timeout: maybe(integer({ least: 0 })),
} as const;

type Params = ParamsOf<typeof PARAMS>;

/** A run lasts as long as it lasts; its own limit ends it. ms */
const NO_LIMIT = 2 ** 31 - 1;

const agent = gatewayMethod({
  name: 'agent',
  scope: 'operator.write',
  params: PARAMS,
  handle: async (params, call) => {
    const { services, signal } = call;
    const { idempotencyKey: runId, message } = params;
    const session = await findSessionOf(call, params);
    const { run, status } = await sendMessage(call, session, {
      runId,
      text: message,
      attachments: params.attachments,
      wish: await wishOf(call, session, params),
    });
    const { agentId, sessionKey } = session;
    if (status !== 'ok') {
      const acceptedAt = run.acceptedAt;
      call.respondFirst({ runId, sessionKey, agentId, status: 'accepted', acceptedAt });
    }
    const ending = await services.runs.waitForEnd(run, { timeoutMs: NO_LIMIT, signal });
    if (ending === undefined) throw refuse('UNAVAILABLE', 'the run goes on without its caller');
    return describeEnding(ending, run.startedAt ?? run.acceptedAt);
  },
});

async function findSessionOf(call: Call, params: Params): Promise<SessionRef> {
  const { services } = call;
  const { sessionKey, sessionId, to, channel, accountId } = params;
  if (params.agentId !== undefined) assertAgent(call, params.agentId);
  if (sessionKey !== undefined && sessionId === undefined)
    return reachableRef(call, sessionKey, params.agentId);
  // A token names its agent: bindings, and the default of all agents, say nothing to who has it.
  const isOwn = sessionId === undefined && isBound(call.caller);
  const { agentId = isOwn ? defaultAgentOf(call) : undefined } = params;
  try {
    const session = await findPlace(
      { ...services, agentIds: visibleAgents(call) },
      { agentId, sessionId, to, channel, accountId },
    );
    assertAgent(call, session.agentId);
    return session;
  } catch (error) {
    // Its hint names agents.
    if (error instanceof OpenBotError && ['AGENT_NOT_FOUND', 'SESSION_NOT_FOUND'].includes(error.code))
      throw refuse('INVALID_REQUEST', error.message);
    throw error;
  }
}

async function wishOf(call: Call, session: SessionRef, params: Params) {
  const { deliver, thinking, model, timeout, ...where } = params;
  const channel = where.replyChannel || where.channel;
  const to = where.replyTo || where.to;
  const accountId = where.replyAccountId || where.accountId;
  const wanted = { ...(channel && { channel }), ...(to && { to }), ...(accountId && { accountId }) };
  return {
    ...(thinking && { thinking }),
    ...(model && { model }),
    ...(timeout && { timeoutMs: timeout * 1000 }),
    ...(deliver && { deliver: isBound(call.caller) ? await ownTarget(call, session, wanted) : wanted }),
  };
}

/** Where a caller for some agents may have an answer delivered. Throws, without a word of other channels that there are. */
async function ownTarget(
  call: Call,
  session: SessionRef,
  wanted: { readonly channel?: string; readonly to?: string; readonly accountId?: string },
) {
  const last = (await storedOf(call.services, session))?.entry.deliveryContext;
  const channel =
    wanted.channel === undefined || wanted.channel === 'last' ? last?.channel : wanted.channel.toLowerCase();
  const usual = channel === last?.channel ? last : undefined;
  const to = wanted.to ?? usual?.to;
  const given = wanted.accountId ?? usual?.accountId;
  const accountId = channel && to ? findWritableAccount(call, { channel, to, accountId: given }) : undefined;
  if (accountId === undefined)
    throw refuse(
      'INVALID_REQUEST',
      channel === undefined
        ? 'The session has no channel to deliver to'
        : `There is no channel ${channel} to deliver to`,
    );
  return { channel, to, accountId };
}

/** The second response. Throws for a run that failed, as OpenClaw answers with an error. */
function describeEnding({ runId, report, endedAt }: RunEnding, startedAt: number): object {
  const { outcome, error, abortedBy, payloads, sessionId, provider, model, usage, lastUsage } = report;
  if (outcome === 'failed')
    throw refuse('UNAVAILABLE', error?.message ?? 'The run failed', { details: { runId, status: 'error' } });
  const isAborted = outcome === 'aborted';
  const agentMeta = { sessionId, provider, model, usage, lastCallUsage: lastUsage };
  return {
    runId,
    status: isAborted ? 'error' : 'ok',
    summary: isAborted ? 'aborted' : 'completed',
    result: {
      payloads: payloads.map(({ text: said = '', mediaUrl = null, mediaUrls }) => ({
        text: said,
        mediaUrl,
        ...(mediaUrls && { mediaUrls }),
      })),
      meta: {
        durationMs: startedAt === 0 ? 0 : Math.max(0, endedAt - startedAt),
        agentMeta,
        aborted: isAborted,
        stopReason: isAborted ? STOP_REASONS[abortedBy ?? 'person'] : 'stop',
      },
    },
  };
}

const wait = gatewayMethod({
  name: 'agent.wait',
  scope: 'operator.write',
  params: { runId: filledText, timeoutMs: maybe(integer({ least: 0 })) },
  handle: async ({ runId, timeoutMs = 30_000 }, { services, caller, signal }) => {
    const isMeant = ({ agentId }: SessionRef) => mayReach(caller, agentId);
    const ending = await services.runs.waitForNamed(runId, isMeant, { timeoutMs, signal });
    if (ending === undefined) return { runId, status: 'timeout' };
    const { report, endedAt } = ending;
    const { outcome, error, abortedBy } = report;
    if (outcome === 'failed') return { runId, status: 'error', endedAt, error: error?.message };
    if (outcome === 'aborted')
      return {
        runId,
        status: 'error',
        endedAt,
        stopReason: STOP_REASONS[abortedBy ?? 'person'],
        aborted: true,
      };
    return { runId, status: 'ok', endedAt, stopReason: 'stop' };
  },
});

export const AGENT_METHODS = [agent, wait];
