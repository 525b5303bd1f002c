import type { MsgContext } from '@openbot/sessions';
import type { InboxMessage, MessageIdentity, TurnWish } from '../inbox/contract.ts';
import type { IncomingFile, KeptMedia, OutgoingMedia } from '../media/contract.ts';
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
    /** Whether it may answer a question of the agent. Left out: the lists of the channel say who may. */
    readonly mayAnswer?: boolean;
  }): Promise<{
    readonly identity: MessageIdentity;
    readonly isNew: boolean;
    /** The one that is kept: of a repeat, what was delivered first. */
    readonly message: InboxMessage;
  }>;
  /**
   * A person changed a message. One that no turn has begun gets the new text; a later change has no effect. Durable as
   * `accept`.
   */
  amend(message: {
    readonly conversationId: string;
    readonly messageId: string;
    readonly ctx: MsgContext;
  }): Promise<void>;
  /** What the network says later about a message that was sent. */
  receipt(receipt: DeliveryReceipt): Promise<void>;
  /** Whether a message of this sender would be heard, so that no file of a stranger is downloaded. */
  mayTalk(ctx: MsgContext): Promise<boolean>;
  /** Small texts of this account that must survive a restart, such as the place in a stream of events. */
  readonly notes: ChannelNotes;
  /** For the owner of the bot. Secrets in it are hidden by the caller. */
  report(message: string): void;
}

export interface ChannelNotes {
  read(name: string): Promise<string | undefined>;
  /** Durable when it resolves. Undefined removes it. */
  write(name: string, text: string | undefined): Promise<void>;
}

export interface DeliveryReceipt {
  /** As `send` was given it, where the network gives it back. It proves that the message arrived. */
  readonly key?: string;
  /** That the network gave the message. */
  readonly id: string;
  readonly state: 'sent' | 'delivered' | 'read' | 'failed';
  /** Which of the messages that the reply was split into, from 0; with the key alone the whole reply is meant. */
  readonly part?: { readonly index: number; readonly count: number };
  /** Why it failed, after the network had taken it. */
  readonly error?: string;
  /** Of a failure that another try may get over: how long to wait for it, ms. Absent: it is for good. */
  readonly retryAfterMs?: number;
  /** Of a failure: the text of the reply is sent once more, as a reply of its own with this as its `channelData`. */
  readonly instead?: Record<string, unknown>;
}

export interface SendRequest {
  readonly key: string;
  readonly target: DeliveryTarget;
  readonly payload: ReplyPayload;
  /** When it was put into the outbox. Undefined where that is not known. */
  readonly createdAt?: number;
  /** An earlier try may have arrived. */
  readonly mayBeRepeat: boolean;
  /**
   * Words for people, for a channel that cannot recognise repeats: in front of the first part that is sent now. Parts are
   * made without it, with room for it (`text/mark-repeat.ts`): other parts than before would double some and lose others.
   */
  readonly mark?: string;
  /**
   * A reply may need several messages. Those that earlier tries got through, in order: a channel makes the same parts of
   * the same payload again, and goes on behind them.
   */
  readonly sentIds: readonly string[];
  /** To be called after each part but the last, before the next one is sent. Durable when it resolves. */
  onPart(id: string): Promise<void>;
  /**
   * To be called before what takes longer than a text, such as an upload: what follows, up to the next part, may take so
   * many ms. Durable when it resolves, so that no other process takes the message for lost meanwhile.
   */
  allowTime(ms: number): Promise<void>;
  /** Why no file of the reply is sent any more. It is said in the place of each. */
  readonly skipFiles?: string;
  /** To be called for each file of the reply. @param fault why it is not sent, although its message is */
  onFile?(url: string, fault: string | undefined): void;
  readonly signal: AbortSignal;
}

/** Why a send failed. `too long` is a fault of the adapter: it splits what is too long. */
export type SendFailureReason = 'busy' | 'gone' | 'forbidden' | 'too long' | 'window closed' | 'other';

/** Thrown by `send` as an error with these fields; anything else counts as retryable and as perhaps arrived. */
export interface SendFailure extends Error {
  readonly isPermanent: boolean;
  /** The network may have taken the message although the call failed. */
  readonly mayHaveArrived: boolean;
  readonly retryAfterMs?: number;
  readonly reason?: SendFailureReason;
}

export type MediaKind = 'image' | 'audio' | 'voice' | 'video' | 'document' | 'sticker';

/** What holds for all that takes replies. */
export interface OutletCapabilities {
  /** Of one message, in characters as the network counts them. Longer ones are split by the adapter. */
  readonly textLimit: number;
  /**
   * Sends are idempotent: the network, or the adapter durably, recognises a key that was sent before and does not show it
   * twice. Where it cannot decide, the adapter marks the text itself.
   */
  readonly recognisesRepeats: boolean;
}

/** Of a part of this program. */
export const OWN_OUTLET: OutletCapabilities = {
  textLimit: Number.POSITIVE_INFINITY,
  recognisesRepeats: true,
};

/** What a network can do. Those who use a channel ask this, never its name. */
export interface ChannelCapabilities extends OutletCapabilities {
  readonly hasThreads: boolean;
  /** `edit` works. */
  readonly canEdit: boolean;
  readonly canReact: boolean;
  readonly canShowActivity: boolean;
  /** How often a message may be edited, in ms. Left out: as often as people read. */
  readonly editEveryMs?: { readonly direct: number; readonly group: number };
  /** How often the sign of activity is given again, in ms: before the network forgets it. */
  readonly activityMs?: number;
  /** Answers that a person can press. Pressed, they arrive as a message with the word of the answer. */
  readonly hasButtons: boolean;
  readonly hasCommandMenu: boolean;
  readonly media: readonly MediaKind[];
}

/** Of a channel that can do nothing but take and give texts. */
export const PLAIN_CHANNEL: ChannelCapabilities = {
  textLimit: Number.POSITIVE_INFINITY,
  recognisesRepeats: false,
  hasThreads: false,
  canEdit: false,
  canReact: false,
  canShowActivity: false,
  hasButtons: false,
  hasCommandMenu: false,
  media: [],
};

export type ChannelHealth =
  | { readonly state: 'starting' | 'stopped' }
  | {
      readonly state: 'connected';
      readonly since: number;
      /** What a person should look at although it works, as far as the channel can tell. */
      readonly warning?: string;
    }
  /** It is tried again by itself. */
  | {
      readonly state: 'reconnecting';
      readonly since: number;
      readonly error: string;
      readonly nextTryAt?: number;
    }
  /** Only a person can mend it: a wrong token, another program that uses the same account. */
  | { readonly state: 'failed'; readonly since: number; readonly error: string };

/** A request to the HTTP port of the gateway, for a channel whose network calls us. */
export interface IncomingHttp {
  readonly method: string;
  /** Behind the address of the account, with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent: signatures are about these bytes. */
  readonly body: Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A chat command, for networks that show people what there is. */
export interface MenuCommand {
  readonly name: string;
  readonly description: string;
  readonly takesText: boolean;
}

/** Where replies go: an account on a chat network, or a part of this program that takes them. */
export interface Outlet {
  readonly name: string;
  readonly accountId: string;
  readonly capabilities: OutletCapabilities;
  /** Resolves with the ids that the network gave, those in `sentIds` first. */
  send(request: SendRequest): Promise<{ readonly ids: readonly string[] }>;
  /** Shows another text in the place of a message that was sent. Fails as `send` does; doing it twice is harmless. */
  edit?(request: {
    readonly target: DeliveryTarget;
    readonly id: string;
    readonly text: string;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** One account on a chat network. */
export interface Channel extends Outlet {
  readonly capabilities: ChannelCapabilities;
  /**
   * Resolves when it has begun, connected or not: a network that is down holds up no other channel. Rejects for what is
   * missing on this machine.
   */
  start(host: ChannelHost): Promise<void>;
  health(): ChannelHealth;
  /** Undefined takes the reaction of the bot away. */
  react?(target: DeliveryTarget, messageId: string, emoji: string | undefined): Promise<void>;
  /** Shows that an answer is on its way. */
  showActivity?(target: DeliveryTarget, message?: { readonly id: string }): Promise<void>;
  setCommands?(commands: readonly MenuCommand[]): Promise<void>;
  /** Answers when what it brings is durable. */
  receiveHttp?(request: IncomingHttp): Promise<HttpAnswer>;
  /** Asks the network who we are, for `openbot channels test`: a line for people. Rejects with what is wrong. */
  probe?(signal: AbortSignal): Promise<string>;
  /** One line for the agent, such as `Telegram: connected as @bot`. */
  summary?(): string;
  /** No message is accepted after it resolves. */
  stop(): Promise<void>;
}

/** What is needed to open the accounts of one network. A module of its own, so that its library is loaded on demand. */
export interface ChannelDriver {
  open(options: ChannelOptions): Channel;
}

export interface ChannelOptions {
  readonly accountId: string;
  /** What holds for the account, with secrets resolved, but for settings that all networks have. The driver has checked it by its own shape before. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Absolute. */
  readonly stateDir: string;
  readonly now: () => number;
  readonly media: ChannelMedia;
}

/** Files of messages, within the limits of the configuration (`media/contract.ts`). */
export interface ChannelMedia {
  /** Of one file, in bytes: a network that says the size of a file need not be asked for one that is larger. */
  readonly maxBytes: number;
  keep(file: IncomingFile): Promise<KeptMedia>;
  read(url: string, signal?: AbortSignal): Promise<OutgoingMedia>;
}
