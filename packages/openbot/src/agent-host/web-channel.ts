import { REFUSED } from '../bot/contract.ts';
import {
  type Channel,
  type ChannelHealth,
  type ChannelHost,
  OWN_OUTLET,
  PLAIN_CHANNEL,
} from '../channels/contract.ts';
import { addressOf } from '../session-address.ts';
import {
  type AcceptedMessage,
  type ClientMessage,
  type HostEvent,
  WEB_ACCOUNT,
  WEB_CHANNEL,
} from './contract.ts';

/** A reply of a turn. Clients get it with the end of the turn. */
const REPLY_KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:(?:\d+(?::\d+)?|failed)$/;

/** The account of all clients of the gateway. They read answers in events and transcripts, so nothing has to be sent. */
export class WebChannel implements Channel {
  readonly name = WEB_CHANNEL;
  readonly accountId = WEB_ACCOUNT;
  readonly capabilities = { ...PLAIN_CHANNEL, ...OWN_OUTLET };
  readonly #tell: (event: HostEvent) => void;
  #host: ChannelHost | undefined;
  #startedAt: number | undefined;

  constructor(tell: (event: HostEvent) => void) {
    this.#tell = tell;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    this.#startedAt = Date.now();
  }

  async accept(
    { agentId, sessionKey, messageId, text, ctx, mayCommand = false, mayAnswer = false }: ClientMessage,
    wish: Parameters<ChannelHost['accept']>[0]['wish'],
  ): Promise<AcceptedMessage> {
    if (this.#host === undefined) throw new Error('The channel is closed');
    const { isNew, message } = await this.#host.accept({
      conversationId: addressOf({ agentId, sessionKey }),
      messageId,
      // As a person at this machine: no network is named, so the route of the session stays what it is.
      ctx: {
        ChatType: 'direct',
        ...ctx,
        RawBody: text,
        SessionKey: sessionKey,
        AgentId: agentId,
        CommandAuthorized: mayCommand,
      },
      wish,
      mayAnswer,
    });
    return {
      isNew,
      seq: message.seq,
      text: message.ctx.RawBody ?? '',
      ...(message.ctx.MediaPaths && { mediaPaths: message.ctx.MediaPaths }),
      state: message.state,
      isRefused: message.state === 'dropped' && message.reason === REFUSED,
    };
  }

  async send({ key, target, payload }: Parameters<Channel['send']>[0]): Promise<{ ids: string[] }> {
    if (!REPLY_KEY.test(key)) this.#tell({ type: 'said', key, address: target.to, payload });
    return { ids: [key] };
  }

  health(): ChannelHealth {
    return this.#startedAt === undefined
      ? { state: 'stopped' }
      : { state: 'connected', since: this.#startedAt };
  }

  async stop(): Promise<void> {
    this.#host = undefined;
    this.#startedAt = undefined;
  }
}
