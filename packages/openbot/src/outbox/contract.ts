import type { ReplyPayload } from './reply-payload.ts';

export interface DeliveryTarget {
  readonly channel: string;
  readonly accountId: string;
  readonly to: string;
  readonly threadId?: string | number;
}

/** A reply that is to be sent. */
export interface OutboundMessage {
  /** Unique. A reply of a turn has `<turnId>:<number>`. Channels that can recognise a repeat are given it. */
  readonly key: string;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly turnId?: string;
  readonly target: DeliveryTarget;
  readonly payload: ReplyPayload;
  /** ms */
  readonly createdAt: number;
  /** Nothing is left to do for it: it is kept for those who ask what was said. */
  readonly isTold?: boolean;
}

export type OutboxState =
  | { readonly state: 'waiting'; readonly nextTryAt: number }
  /** Given to the channel. After `until` the sender is taken to have died. */
  | { readonly state: 'sending'; readonly owner: string; readonly until: number }
  | { readonly state: 'sent'; readonly sentAt: number; readonly ids: readonly string[] }
  /** Never tried again by itself. */
  | { readonly state: 'dead'; readonly diedAt: number };

export type OutboxMessage = OutboundMessage &
  OutboxState & {
    readonly seq: number;
    readonly tries: number;
    /** An earlier try may have reached the network without our knowing. */
    readonly mayBeRepeat: boolean;
    /** Of a message that is not sent: the parts of it that got through, in order. */
    readonly parts?: { readonly ids: readonly string[]; readonly isMarked: boolean };
    /** Of the last try that failed; of a message that is sent, why files of it were not. */
    readonly error?: string;
  };

/** ms */
export interface PruneTimes {
  readonly sent: number;
  readonly dead: number;
  /** For channels whose dead letters are of less use. */
  readonly deadIn?: Readonly<Record<string, number>>;
}

/** Replies, until the channel has taken them. Durable when a promise resolves, as the inbox. */
export interface Outbox {
  /** All of them or none. A key that is known is left as it is. Resolves with those that were not. */
  put(messages: readonly OutboundMessage[]): Promise<readonly string[]>;
  /**
   * Takes messages for one account of a channel and marks them as being sent. Messages to one target (channel, account,
   * to, thread) keep their order: none is given out before all earlier ones to the same target are sent or dead.
   * What was being sent by an owner whose time is up is given out again, with `mayBeRepeat`.
   */
  claim(request: {
    readonly channel: string;
    readonly accountId: string;
    readonly owner: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
  }): Promise<readonly OutboxMessage[]>;
  /** Makes what owners were sending due at once where they are known to be gone. Returns how many messages. */
  release(isGone: (owner: string) => boolean): Promise<number>;
  /** Only the owner of a claim may end it; false when it is not the owner any more. */
  sent(
    key: string,
    owner: string,
    result: {
      readonly at: number;
      readonly ids: readonly string[];
      /** Why files of it were not sent. */
      readonly error?: string;
    },
  ): Promise<boolean>;
  /** A part of the message got through; the next try goes on behind it. `isMarked` counts for the first one. The claim lasts until `until`. */
  addPart(
    key: string,
    owner: string,
    part: { readonly id: string; readonly isMarked: boolean; readonly until: number },
  ): Promise<boolean>;
  /** Lets a claim last until this time. */
  extend(key: string, owner: string, until: number): Promise<boolean>;
  /**
   * The network says that it has the message, or with `part` a part of it, whoever sends it now: it is not sent again.
   * False when nothing changed.
   */
  prove(
    key: string,
    proof: {
      readonly at: number;
      readonly id: string;
      readonly part?: { readonly index: number; readonly count: number };
    },
  ): Promise<boolean>;
  /**
   * The network gave up a message, or the part of it with this id, that it had taken. Resolves with it when it was sent,
   * or being sent. It is dead, or waits until `nextTryAt`; the parts before the one that failed count as sent.
   */
  refuse(
    key: string,
    failure: {
      readonly error: string;
      readonly at: number;
      readonly id: string;
      readonly nextTryAt?: number;
    },
  ): Promise<OutboxMessage | undefined>;
  /** The sent message that the network gave this id. */
  findSent(
    account: Pick<DeliveryTarget, 'channel' | 'accountId'>,
    id: string,
  ): Promise<OutboxMessage | undefined>;
  /** `mayHaveArrived`: the next try is marked as a possible repeat. */
  retry(
    key: string,
    owner: string,
    failure: { readonly error: string; readonly nextTryAt: number; readonly mayHaveArrived: boolean },
  ): Promise<boolean>;
  dead(
    key: string,
    owner: string,
    failure: { readonly error: string; readonly at: number },
  ): Promise<boolean>;
  /** When the next message for this account is due, or the time of its sender is up; undefined when none is open. */
  nextDue(channel: string, accountId: string): Promise<number | undefined>;
  /** Accounts that have messages which are neither sent nor dead, also those whose channel is not open anywhere, in any order. */
  waitingAccounts(): Promise<
    readonly { readonly channel: string; readonly accountId: string; readonly count: number }[]
  >;
  ofTurn(turnId: string): Promise<readonly OutboxMessage[]>;
  get(key: string): Promise<OutboxMessage | undefined>;
  /** The last ones that died, newest first. */
  listDead(limit: number): Promise<readonly OutboxMessage[]>;
  counts(): Promise<Readonly<Record<OutboxState['state'], number>>>;
  /** As in the inbox. */
  onChange(listener: () => void): () => void;
  /** Removes what was sent or died before these times, and returns how many messages. */
  prune(before: PruneTimes): Promise<number>;
  close(): Promise<void>;
}
