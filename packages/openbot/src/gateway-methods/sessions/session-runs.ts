import { createHash, randomUUID } from 'node:crypto';
import { filledText, maybe, text } from '../../gateway-protocol/param-shapes.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import { changeSettings } from '../../session-settings/change-settings.ts';
import { announceChange } from '../announce.ts';
import { MESSAGE_PARAMS, wishOf } from '../chat.ts';
import { abortRuns } from '../runs/abort-runs.ts';
import { sendMessage } from '../runs/send-message.ts';
import { gatewayMethod } from '../services.ts';
import { readPatch } from './patch.ts';
import { defaultAgentOf, reachableRef, sessionsOf, storedOf } from './session-ref.ts';
import { createdNow, resolvedModel, showEntry } from './shown-entry.ts';

const send = gatewayMethod({
  name: 'sessions.send',
  scope: 'operator.write',
  params: { key: filledText, ...MESSAGE_PARAMS, idempotencyKey: maybe(filledText) },
  handle: async (params, call) => {
    const { services } = call;
    const { message, idempotencyKey: runId = randomUUID() } = params;
    const session = reachableRef(call, params.key, params.agentId);
    if ((await storedOf(services, session)) === undefined)
      throw refuse('INVALID_REQUEST', `session not found: ${session.sessionKey}`);
    const { run: _, ...sent } = await sendMessage(call, session, {
      runId,
      text: message,
      attachments: params.attachments,
      wish: wishOf(params),
    });
    return { runId, ...sent };
  },
});

const abort = gatewayMethod({
  name: 'sessions.abort',
  scope: 'operator.write',
  params: { key: filledText, agentId: maybe(filledText), runId: maybe(filledText) },
  handle: async ({ key, agentId, runId }, call) => {
    const session = reachableRef(call, key, agentId);
    const runIds = await abortRuns(call.services, session, { runId, signal: call.signal });
    return {
      ok: true,
      abortedRunId: runIds.at(-1) ?? null,
      status: runIds.length > 0 ? 'aborted' : 'no-active-run',
    };
  },
});

const create = gatewayMethod({
  name: 'sessions.create',
  scope: 'operator.write',
  params: {
    key: maybe(filledText),
    agentId: maybe(filledText),
    label: maybe(filledText),
    model: maybe(filledText),
    parentSessionKey: maybe(filledText),
    message: maybe(text),
    task: maybe(text),
    idempotencyKey: maybe(filledText),
  },
  handle: async (params, call) => {
    const { services } = call;
    const { agentId = defaultAgentOf(call) } = params;
    const key = params.key ?? `agent:${agentId}:dashboard:${nameFor(params.idempotencyKey)}`;
    const session = reachableRef(call, key, params.agentId);
    const changes = {
      ...(await readPatch(call, session, { label: params.label, model: params.model })),
      ...(params.parentSessionKey !== undefined && {
        parentSessionKey: reachableRef(call, params.parentSessionKey).sessionKey,
      }),
      ...((await storedOf(services, session)) === undefined && createdNow(services)),
    };
    const how = { message: {}, now: services.now };
    const entry = await changeSettings(
      sessionsOf(services, session.agentId),
      session.sessionKey,
      changes,
      how,
    );
    await announceChange(services, session, { reason: 'create' });
    const message = params.message ?? params.task ?? '';
    const { idempotencyKey: runId = randomUUID() } = params;
    if (message.trim() !== '') await sendMessage(call, session, { runId, text: message, wish: undefined });
    else services.host.warm();
    return {
      ok: true,
      key: session.sessionKey,
      sessionId: entry.sessionId,
      entry: showEntry(entry, call.caller),
      ...(message.trim() === '' ? { runStarted: false } : { runStarted: true, runId }),
      resolved: await resolvedModel(services, session),
    };
  },
});

/** A request that comes again means the session that it made. */
function nameFor(idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? randomUUID()
    : createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);
}

export const SESSION_RUN_METHODS = [send, abort, create];
