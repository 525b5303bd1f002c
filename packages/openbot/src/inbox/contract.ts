import type { MsgContext } from '@openbot/sessions';
import type { QueueMode } from '@openbot/sessions/policy';
import type { SessionRef } from '../session-address.ts';

/** What makes a message the same message when a network delivers it again. */
export interface MessageIdentity {
  readonly channel: string;
  /** Which of the accounts on the channel received it. */
  readonly accountId: string;
  /** The chat, group or thread that it was written in, in the words of the channel. */
  readonly conversationId: string;
  readonly messageId: string;
}

/** What the sender wants of the turn of this one message. */
export interface TurnWish {
  /** `provider/model`, for this run alone. */
  readonly model?: string;
  /** This and the next are kept for the session. */
  readonly thinkingLevel?: string;
  readonly verboseLevel?: string;
  readonly timeoutMs?: number;
  /** What to do with the message while another run goes on, in the place of the session's setting. */
  readonly queueMode?: QueueMode;
  /** Where the replies are sent beside the place that the message came from. */
  readonly deliverTo?: {
    readonly channel: string;
    readonly accountId: string;
    readonly to: string;
    readonly threadId?: string | number;
  };
  /** Of a message that another session of the agent wrote. */
  readonly relay?: Relay;
}

/** A message from one session of an agent to another one. */
export interface Relay {
  /**
   * `send` asks a session, `spawn` gives a task to a new one, and `announce` tells the asker how that ended; no caller waits
   * for the answer to an announcement.
   */
  readonly kind: 'send' | 'spawn' | 'announce';
  /** Keys of the sessions that it came through, the one that wrote it last. */
  readonly chain: readonly string[];
  /** The answer begins a turn in the session of the asker, and what that says is sent there. A system event when absent. */
  readonly announceTo?: TurnWish['deliverTo'];
  /** What the asker calls it. */
  readonly label?: string;
}

/**
 * What a message asks of the queue. A `command` is neither merged with others nor given to a running agent; `upkeep` is
 * such a command that does not interrupt a run either; a `stop` ends the run and withdraws what waits before it. An
 * `aside` is handled at once, beside the run, and neither waits nor counts in the queue.
 */
export type MessageKind = 'text' | 'command' | 'upkeep' | 'stop' | 'aside';

/** A message as it arrived, with the session that it was routed to. */
export interface Arrival {
  readonly identity: MessageIdentity;
  /** Both empty for a message of a sender who may not talk: it belongs to no session. */
  readonly agentId: string;
  readonly sessionKey: string;
  /** JSON values only: it is kept as JSON. */
  readonly ctx: MsgContext;
  readonly wish?: TurnWish;
  /** By the configuration of its time. Without it, the first to look decides. */
  readonly kind?: MessageKind;
  /** ms */
  readonly receivedAt: number;
}

export type InboxState =
  /** Kept; no turn has been chosen for it. */
  | { readonly state: 'received' }
  /** Waits for the end of another run of its session. */
  | { readonly state: 'queued' }
  /** Part of a turn that has begun and has no answer yet. */
  | { readonly state: 'running'; readonly turnId: string }
  /** The replies of its turn are in the outbox. `abortedBy`: who or what ended the run. */
  | { readonly state: 'answered'; readonly turnId: string; readonly abortedBy?: string }
  /** Gets no turn: not addressed to the agent, pushed out of a full queue, withdrawn, the answer to a question. */
  | { readonly state: 'dropped'; readonly reason: string }
  /** Its turn failed and is not tried again. */
  | { readonly state: 'failed'; readonly turnId?: string; readonly error: string };

export type WaitingState = Extract<InboxState['state'], 'received' | 'queued' | 'running'>;

export type InboxMessage = Arrival &
  InboxState & {
    /** Grows with the order of arrival. */
    readonly seq: number;
    /** How often a run of its turn was begun. */
    readonly tries: number;
  };

/** A session that has messages without an end. */
export interface WaitingSession {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly firstSeq: number;
  readonly count: number;
}

/** Something that happened and that the agent reads before the next message of the session. */
export interface SystemEvent {
  readonly text: string;
  /** ms */
  readonly at: number;
}

/**
 * What arrives, until it has an answer. Every promise that resolves is durable: it survives the end of the process and a
 * power cut. Several processes may use one inbox.
 */
export interface Inbox {
  /**
   * Keeps a message. Its sender may be told so once this resolves. A message whose identity is known is not
   * kept again: the result has the kept one and `isNew: false`. `as` keeps it in another state than received.
   */
  accept(
    arrival: Arrival,
    as?: Extract<InboxState, { state: 'received' | 'answered' | 'dropped' }>,
  ): Promise<{ readonly message: InboxMessage; readonly isNew: boolean }>;
  /**
   * Keeps the kinds of messages that have none. A kind does not change: where another configuration reads a message that
   * runs otherwise, its turn would be begun a second time.
   */
  decideKinds(kinds: ReadonlyMap<number, MessageKind>): Promise<void>;
  /** Another text in the place of one that no turn has begun. Undefined for any other message. */
  amend(identity: MessageIdentity, change: Pick<Arrival, 'ctx' | 'kind'>): Promise<InboxMessage | undefined>;
  get(seq: number): Promise<InboxMessage | undefined>;
  find(identity: MessageIdentity): Promise<InboxMessage | undefined>;
  /** Those with this id in whatever conversation of the account, in order of arrival. */
  findInAccount(message: Omit<MessageIdentity, 'conversationId'>): Promise<readonly InboxMessage[]>;
  /** The messages of a session that are received, queued or running, in order of arrival. */
  waiting(session: SessionRef): Promise<readonly InboxMessage[]>;
  /** Sessions with such messages, the one that waits longest first. */
  waitingSessions(): Promise<readonly WaitingSession[]>;
  /** All of one turn, in order of arrival. */
  ofTurn(turnId: string): Promise<readonly InboxMessage[]>;
  /**
   * In one change, which counts a try when it is to running. A message that has an end stays as it is, and so does one that
   * is in no state of `from`. Resolves with those that were moved.
   */
  move(seqs: readonly number[], to: InboxState, from?: readonly WaitingState[]): Promise<readonly number[]>;
  /**
   * The last messages of a session in a conversation, in any state, oldest first: what a group, or a topic of it, has
   * said. With `beforeSeq` only those that arrived before that one.
   */
  recent(
    conversation: Omit<MessageIdentity, 'messageId'>,
    limit: number,
    among: { readonly sessionKey: string; readonly beforeSeq?: number },
  ): Promise<readonly InboxMessage[]>;
  counts(): Promise<Readonly<Record<InboxState['state'], number>>>;
  /**
   * Calls the listener after this or another process changed the inbox: at once, or some 50 ms after another process did.
   * It may be called without a change. Returns the function that ends it. Does not keep the process alive.
   */
  onChange(listener: () => void): () => void;

  /**
   * `address` is that of `addressOf`. At most 20 per session, the newest ones. The same text as the newest waiting one is not
   * kept again, nor is the same text of the same time, also after a turn was given it: so a caller that repeats after a
   * crash what it may have done gives the event a time that it had before.
   */
  addEvent(address: string, event: SystemEvent): Promise<void>;
  /**
   * Gives the waiting events of a session to a turn. The same turn gets them again when it asks again, so that a turn
   * that is repeated after a crash loses none; no other turn does. Those added since wait for the next turn.
   */
  takeEvents(address: string, turnId: string): Promise<readonly SystemEvent[]>;

  /**
   * Removes messages with an end that arrived before `before`, and events from before it that were given to a turn which
   * is not running. Returns how many messages.
   */
  prune(before: number): Promise<number>;
  /** Of an account: keeps so many of the newest messages that belong to no session, and removes the rest. */
  pruneUnheard(account: Pick<MessageIdentity, 'channel' | 'accountId'>, keep: number): Promise<number>;
  close(): Promise<void>;
}
