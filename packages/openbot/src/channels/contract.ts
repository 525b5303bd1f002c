import type { MsgContext } from '@openbot/sessions';
import type { InboxMessage, MessageIdentity, TurnWish } from '../inbox/contract.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import type { ReplyPayload } from '../outbox/reply-payload.ts';

/** What a channel is given to pass messages on. */
export interface ChannelHost {
  /**
   * Resolves when the message is durable; only then may the network be told that it was taken. Rejects when it could not
   * be kept: the network must deliver it again. A repeat resolves too, and has no effect.
   */
  accept(message: {
    readonly conversationId: string;
    readonly messageId: string;
    readonly ctx: MsgContext;
    /** Of a channel whose people may choose: its adapter has made sure of that. */
    readonly wish?: TurnWish;
  }): Promise<{
    readonly identity: MessageIdentity;
    readonly isNew: boolean;
    /** The one that is kept: of a repeat, what was delivered first. */
    readonly message: InboxMessage;
  }>;
}

export interface SendRequest {
  readonly key: string;
  readonly target: DeliveryTarget;
  readonly payload: ReplyPayload;
  /** An earlier try may have arrived. For a channel that cannot recognise repeats, the text is already marked for people. */
  readonly mayBeRepeat: boolean;
  readonly signal: AbortSignal;
}

/** Thrown by `send` as an error with these fields; anything else counts as retryable and as perhaps arrived. */
export interface SendFailure extends Error {
  readonly isPermanent: boolean;
  /** The network may have taken the message although the call failed. */
  readonly mayHaveArrived: boolean;
  readonly retryAfterMs?: number;
}

/** One account on a chat network. */
export interface Channel {
  readonly name: string;
  readonly accountId: string;
  /** The network, or this adapter durably, recognises a key that was sent before and does not show it twice. */
  readonly recognisesRepeats: boolean;
  start(host: ChannelHost): Promise<void>;
  /** Resolves with the ids that the network gave. */
  send(request: SendRequest): Promise<{ readonly ids: readonly string[] }>;
  /** Shows that an answer is on its way. */
  showActivity?(target: DeliveryTarget): Promise<void>;
  /** One line for the agent, such as `Telegram: connected as @bot`. */
  summary?(): string;
  /** No message is accepted after it resolves. */
  stop(): Promise<void>;
}
