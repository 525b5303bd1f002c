import { composeDeliveryMirror } from '@openbot/sessions/transcript';
import { resolveAgentSettings } from '../config/agents.ts';
import type { Caller, MethodCall } from '../gateway-protocol/method.ts';
import {
  filledText,
  flag,
  integer,
  maybe,
  oneOf,
  type ParamsOf,
  text,
} from '../gateway-protocol/param-shapes.ts';
import { hasScope } from '../gateway-protocol/scopes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { ATTACHMENTS } from './attachments.ts';
import { assistantText } from './events/assistant-text.ts';
import { readHistory } from './history/read-history.ts';
import { abortRuns } from './runs/abort-runs.ts';
import { sendMessage } from './runs/send-message.ts';
import { type GatewayServices, gatewayMethod } from './services.ts';
import { defaultAgentOf, reachableRef, storedOf, visibleRef } from './sessions/session-ref.ts';
import { transcriptOf } from './sessions/transcript-of.ts';

export const QUEUE_MODES = ['steer', 'followup', 'collect', 'interrupt'] as const;

/** Of a message to a session, however that is named. */
export const MESSAGE_PARAMS = {
  agentId: maybe(filledText),
  message: text,
  thinking: maybe(text),
  attachments: ATTACHMENTS,
  queueMode: maybe(oneOf(...QUEUE_MODES)),
  timeoutMs: maybe(integer({ least: 0 })),
} as const;

/** What they ask of its turn. */
export function wishOf({ thinking, queueMode, timeoutMs }: ParamsOf<typeof MESSAGE_PARAMS>) {
  return {
    ...(thinking && { thinking }),
    ...(timeoutMs && { timeoutMs }),
    ...(queueMode && { queueMode }),
  };
}

const send = gatewayMethod({
  name: 'chat.send',
  scope: 'operator.write',
  params: { sessionKey: filledText, ...MESSAGE_PARAMS, idempotencyKey: filledText, deliver: maybe(flag) },
  handle: async (params, call) => {
    const { message, idempotencyKey: runId, deliver } = params;
    const session = reachableRef(call, params.sessionKey, params.agentId);
    const { run: _, ...sent } = await sendMessage(call, session, {
      runId,
      text: message,
      attachments: params.attachments,
      wish: {
        ...wishOf(params),
        // A client that wants it delivered need not know whether the session has a place to deliver to.
        ...(deliver && { deliver: { isOptional: true } }),
      },
    });
    return { runId, ...sent };
  },
});

const HISTORY_PARAMS = {
  sessionKey: filledText,
  agentId: maybe(filledText),
  limit: maybe(integer({ least: 1, most: 1000 })),
  offset: maybe(integer({ least: 0 })),
  cursor: maybe(text),
  maxChars: maybe(integer({ least: 1 })),
  maxBytes: maybe(integer({ least: 1 })),
} as const;

/** Connections whose reading has woken the process that runs agents. */
const AWAKENERS = new WeakSet<Caller>();

/** Who opens a conversation may go on with it. Once for each connection: one that looks from time to time lets it rest. */
function wakeFor({ caller, services }: MethodCall<GatewayServices>): void {
  const canHear = caller.subscriptions !== undefined;
  if (!canHear || !hasScope(caller.scopes, 'operator.write') || AWAKENERS.has(caller)) return;
  AWAKENERS.add(caller);
  services.host.warm();
}

/** `chat.startup` is what the Control UI asks first; it gets the same. */
const history = (['chat.history', 'chat.startup'] as const).map((name) =>
  gatewayMethod({
    name,
    scope: 'operator.read',
    params: HISTORY_PARAMS,
    handle: ({ sessionKey, agentId, ...page }, call) => {
      const { services } = call;
      wakeFor(call);
      return readHistory(
        services,
        visibleRef(call, sessionKey, agentId),
        { key: sessionKey, fallbackAgentId: defaultAgentOf(call) || undefined },
        page,
      );
    },
  }),
);

const abort = gatewayMethod({
  name: 'chat.abort',
  scope: 'operator.write',
  params: { sessionKey: filledText, agentId: maybe(filledText), runId: maybe(filledText) },
  handle: async ({ sessionKey, agentId, runId }, call) => {
    const session = reachableRef(call, sessionKey, agentId);
    const runIds = await abortRuns(call.services, session, { runId, signal: call.signal });
    return { ok: true, aborted: runIds.length > 0, runIds };
  },
});

/** How long a run may hold up a message that is put beside it. ms */
const INJECT_WAIT_MS = 5000;

const inject = gatewayMethod({
  name: 'chat.inject',
  scope: 'operator.admin',
  isListed: false,
  params: {
    sessionKey: filledText,
    agentId: maybe(filledText),
    message: filledText,
    label: maybe(filledText),
  },
  handle: async ({ sessionKey, agentId, message, label }, call) => {
    const session = reachableRef(call, sessionKey, agentId);
    const said = label === undefined ? message : `[${label}]\n\n${message}`;
    const messageId = await injectMessage(call.services, session, said, call.signal);
    return { ok: true, messageId };
  },
});

/** Adds something to a conversation that no model said. Not during a run: it would part calls from their results. */
async function injectMessage(
  services: GatewayServices,
  session: SessionRef,
  said: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { state, config, stateDir, env, hub, now } = services;
  const { agentId, sessionKey } = session;
  const stored = await storedOf(services, session);
  if (stored === undefined) throw refuse('INVALID_REQUEST', `session not found: ${sessionKey}`);
  const run = await state.runLock.acquire(addressOf(session), { waitMs: INJECT_WAIT_MS, signal });
  if (run === undefined)
    throw refuse('UNAVAILABLE', `${sessionKey} is in use`, { retryable: true, retryAfterMs: 1000 });
  try {
    const { workspaceDir: cwd } = resolveAgentSettings({ config, agentId, stateDir, env });
    const mirrored = composeDeliveryMirror({ text: said }, now())!;
    const [entry] = await state.transcripts.append({ ...transcriptOf(stateDir, session, stored), cwd }, [
      { type: 'message', message: { ...mirrored, model: 'gateway-injected' } },
    ]);
    const runId = `inject-${entry?.id}`;
    const message = assistantText(said, now());
    const payload = { runId, sessionKey, agentId, seq: 0, state: 'final', message };
    hub.publish({ event: 'chat', payload, agentId });
    return entry?.id;
  } finally {
    await run.release();
  }
}

export const CHAT_METHODS = [send, ...history, abort, inject];
