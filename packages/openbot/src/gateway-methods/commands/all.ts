import { appendAssistantMessageToSessionTranscript } from '@openbot/sessions';
import { COMMAND_METHOD, type GatewayState } from '../../gateway-client/contract.ts';
import { integer, listOf, object, oneOf } from '../../gateway-protocol/param-shapes.ts';
import { changeLetters } from '../../kept-messages/change-letters.ts';
import type { OutboundMessage } from '../../outbox/contract.ts';
import { gatewayMethod } from '../services.ts';
import { assertWhole } from './assert-whole.ts';
import { changeSessions } from './change-sessions.ts';
import { SAY_METHODS } from './say.ts';

/** `openbot outbox retry|drop` */
const letters = gatewayMethod({
  name: COMMAND_METHOD.changeLetters,
  scope: 'operator.admin',
  isListed: false,
  params: { change: oneOf('retry', 'drop'), ids: listOf(integer()) },
  handle: ({ change, ids }, { caller, services: { stateDir } }) => {
    assertWhole(caller);
    return changeLetters(
      stateDir,
      ids.map((id) => ({ id })),
      change,
    );
  },
});

/** `openbot message send` */
const send = gatewayMethod({
  name: COMMAND_METHOD.send,
  scope: 'operator.write',
  isListed: false,
  params: { message: object, waitMs: integer({ least: 0, most: 60_000 }) },
  handle: async (params, { caller, services }) => {
    assertWhole(caller);
    const { stateDir, env, state, host } = services;
    const message = params.message as unknown as OutboundMessage;
    const { agentId, sessionKey, payload } = message;
    const sent = await host.calls.send(message, params.waitMs);
    const { ok: mirrored } = await appendAssistantMessageToSessionTranscript({
      agentId,
      sessionKey,
      text: payload.text,
      mediaUrls: payload.mediaUrls,
      storePath: state.storePathOf(agentId),
      stateDir,
      env,
    });
    return { sent, mirrored };
  },
});

/** `openbot gateway status` */
const gatewayState = gatewayMethod({
  name: COMMAND_METHOD.state,
  scope: 'operator.read',
  isListed: false,
  params: {},
  handle: (_params, { caller, services: { host, presence } }): GatewayState => {
    assertWhole(caller);
    const { phase, crashes, delayMs } = host.status;
    return {
      host: {
        at: phase.at,
        ...('pid' in phase && { pid: phase.pid }),
        ...('reason' in phase && { reason: phase.reason }),
        crashes,
        ...(delayMs !== undefined && { delayMs }),
      },
      runs: host.turns.size,
      connections: Math.max(0, countClients(presence()) - 1),
    };
  },
});

/** The gateway itself is among those present. */
function countClients(present: readonly unknown[]): number {
  return present.filter((one) => (one as { readonly mode?: unknown }).mode !== 'gateway').length;
}

/** What commands ask while a gateway runs. */
export const COMMAND_METHODS = [...SAY_METHODS, changeSessions, letters, send, gatewayState];
