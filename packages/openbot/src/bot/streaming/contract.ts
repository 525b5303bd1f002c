import type { Channel } from '../../channels/contract.ts';
import type { DeliveryTarget } from '../../outbox/contract.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import type { TurnEvent, TurnTools } from '../../turn/turn-tools.ts';

/** Shows people what is being written. */
export interface TurnStream {
  onEvent(event: TurnEvent): void;
  /** Shows no more. Resolves when nothing is on its way. */
  settle(): Promise<void>;
  /** The turn is over for good. */
  finish?(): Promise<void>;
}

/** Where a stream goes. */
export interface StreamPlace {
  readonly tools: TurnTools;
  readonly channel: Channel;
  readonly target: DeliveryTarget;
  readonly turnId: string;
  readonly isGroup: boolean;
  /** For the message that the stream answers, where replies are shown as an answer. */
  readonly replyToId?: string;
  /** Puts a message into the outbox. False where the session may not send, or the key is known. */
  put(key: string, payload: ReplyPayload): Promise<boolean>;
}
