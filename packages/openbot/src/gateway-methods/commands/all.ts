import { isAbsolute } from 'node:path';
import { WEB_CHANNEL } from '../../agent-host/contract.ts';
import { COMMAND_METHOD, type GatewayState } from '../../gateway-client/contract.ts';
import {
  check,
  filledText,
  flag,
  integer,
  listOf,
  maybe,
  object,
  oneOf,
  record,
  text,
  textOrNumber,
} from '../../gateway-protocol/param-shapes.ts';
import { changeLetters } from '../../kept-messages/change-letters.ts';
import type { OutboundMessage } from '../../outbox/contract.ts';
import { canonicalRef } from '../../session-address.ts';
import { mirrorLetter } from '../../state/mirror-letter.ts';
import { announceChange } from '../announce.ts';
import { gatewayMethod } from '../services.ts';
import { assertAgent } from '../sessions/session-ref.ts';
import { changeSessions } from './change-sessions.ts';
import { SAY_METHODS } from './say.ts';

/** `openbot outbox retry|drop` */
const letters = gatewayMethod({
  name: COMMAND_METHOD.changeLetters,
  scope: 'operator.admin',
  isForCommands: true,
  params: { change: oneOf('retry', 'drop'), ids: listOf(integer()) },
  handle: ({ change, ids }, { services: { stateDir } }) => {
    return changeLetters(
      stateDir,
      ids.map((id) => ({ id })),
      change,
    );
  },
});

/** `openbot clean`, which has done it: what it rewrote is in the files. */
const noteChange = gatewayMethod({
  name: COMMAND_METHOD.noteChange,
  scope: 'operator.admin',
  isForCommands: true,
  params: { agentId: filledText, sessionKey: filledText, change: oneOf('rewritten', 'made') },
  handle: async ({ agentId, sessionKey, change }, { services }) => {
    const session = canonicalRef(services.config.session, { agentId, sessionKey });
    const about = change === 'made' ? { reason: 'create' } : { reason: 'compact', compacted: true };
    await announceChange(services, session, about);
    return {};
  },
});

/** An address, or a file that its person can read: the command has looked. */
const media = check<string>((value) =>
  typeof value === 'string' && (/^https?:\/\//i.test(value) || isAbsolute(value))
    ? undefined
    : 'must be an address or an absolute path',
);

const MESSAGE = record({
  key: filledText,
  agentId: filledText,
  sessionKey: filledText,
  target: record({
    channel: filledText,
    accountId: filledText,
    to: filledText,
    threadId: maybe(textOrNumber),
  }),
  payload: record({
    text: maybe(text),
    mediaUrl: maybe(media),
    mediaUrls: maybe(listOf(media)),
    replyToId: maybe(filledText),
    audioAsVoice: maybe(flag),
    channelData: maybe(object),
  }),
  createdAt: integer({ least: 0 }),
});

/** `openbot message send` */
const send = gatewayMethod({
  name: COMMAND_METHOD.send,
  scope: 'operator.write',
  isForCommands: true,
  isAudited: () => true,
  params: { message: MESSAGE, waitMs: integer({ least: 0, most: 60_000 }) },
  handle: async (params, call) => {
    const message = params.message as OutboundMessage;
    assertAgent(call, message.agentId);
    const sent = await call.services.host.calls.send(message, params.waitMs);
    return { sent, mirrored: await mirrorLetter(call.services, message, sent) };
  },
});

/** `openbot gateway status` */
const gatewayState = gatewayMethod({
  name: COMMAND_METHOD.state,
  scope: 'operator.read',
  isForCommands: true,
  params: {},
  handle: (_params, { services: { host, eventLoop, presence, configFault } }): GatewayState => {
    const { phase, crashes, delayMs, channels, waits, failingSteps } = host.status;
    const fault = configFault?.();
    return {
      host: {
        at: phase.at,
        ...('pid' in phase && { pid: phase.pid }),
        ...('reason' in phase && { reason: phase.reason }),
        crashes,
        ...(delayMs !== undefined && { delayMs }),
      },
      ...(fault !== undefined && { configFault: fault }),
      waits,
      failingSteps,
      eventLoop: eventLoop.read(),
      channels: channels.filter(({ channel }) => channel !== WEB_CHANNEL),
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
export const COMMAND_METHODS = [...SAY_METHODS, changeSessions, noteChange, letters, send, gatewayState];
