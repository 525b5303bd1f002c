/**
 * The process that runs agents, and what the gateway and it tell each other. It is a process of its own so that a runner
 * which crashes or blocks takes no connection with it. Everything that is said is JSON.
 */
import type { MsgContext } from '@openbot/sessions';
import type { AbortHow, BotNotice, FailingStep, SayResult, WishRequest } from '../bot/contract.ts';
import type { HttpAnswer, IncomingHttp } from '../channels/contract.ts';
import type { ChannelState, SayNews, SayWord, WiredSay } from '../gateway-client/contract.ts';
import type { InboxState, MessageIdentity } from '../inbox/contract.ts';
import type { OutboundMessage, OutboxState } from '../outbox/contract.ts';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { ModelWait, TurnOutcome } from '../queue/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { TurnEvent, TurnReport } from '../turn/turn-tools.ts';

export { WEB_CHANNEL } from '../turn/deliver.ts';
export type { ChannelState };
export const WEB_ACCOUNT = 'gateway';

/** A message of a client. Its id is the idempotency key: the inbox keeps it, so that it holds over restarts. */
export interface ClientMessage extends SessionRef {
  readonly messageId: string;
  readonly text: string;
  readonly ctx?: MsgContext;
  readonly wish?: WishRequest;
  /** Whether chat commands in it count. Default: they do not. */
  readonly mayCommand?: boolean;
  /** Whether it may answer a question of the agent, such as for a permission. Default: it may not. */
  readonly mayAnswer?: boolean;
}

export interface AcceptedMessage {
  readonly isNew: boolean;
  readonly seq: number;
  /** Of the message that is kept under this id: another text is a conflict. */
  readonly text: string;
  /** Of its files; other ones are a conflict too. */
  readonly mediaPaths?: readonly string[];
  readonly state: InboxState['state'];
  /** It is a chat command, and its sender may give none. */
  readonly isRefused: boolean;
}

export interface AccountName {
  readonly channel: string;
  readonly accountId: string;
}

/** Bytes are no JSON. */
export type WiredHttp = Omit<IncomingHttp, 'body'> & { readonly base64: string };

/** What the gateway asks. Each rejects with an OpenBotError, whose code, message, hint and details come over. */
export interface HostCalls {
  /** Resolves when the message is durable. */
  accept(message: ClientMessage): Promise<AcceptedMessage>;
  /**
   * Ends the run of a session; what waits stays. A turn that waits for a model is taken back with what waits behind it.
   * False when there is neither.
   */
  abort(session: SessionRef, how?: AbortHow): Promise<boolean>;
  /** Takes back a message that no turn has begun. */
  withdraw(identity: MessageIdentity): Promise<boolean>;
  /** Puts a message into the outbox and waits at most `waitMs` for its end. */
  send(message: OutboundMessage, waitMs: number): Promise<OutboxState & { readonly error?: string }>;
  addSystemEvent(session: SessionRef, text: string): Promise<void>;
  /** The request of a network to one of its accounts. Resolves when what it brings is durable. */
  receiveHttp(account: AccountName, request: WiredHttp): Promise<HttpAnswer>;
  /**
   * `Bot.say` for a command in another process. What happens meanwhile comes as `saying` events with the id, which
   * is that of the message: asked again after a crash, it waits for the same turn.
   */
  say(id: string, request: WiredSay): Promise<SayResult>;
  /** To a `say` that is under way; nothing happens where there is none. */
  tellSay(id: string, word: SayWord): Promise<void>;
}

/** A turn that runs, with the messages that it answers. */
export interface HostTurn extends SessionRef {
  readonly turnId: string;
  readonly messages: readonly (MessageIdentity & { readonly seq: number })[];
}

export type HostEvent =
  | { readonly type: 'began'; readonly turn: HostTurn }
  | { readonly type: 'event'; readonly turnId: string; readonly event: TurnEvent }
  /** `later`: the process ends, and the turn is begun again by the next one. */
  | {
      readonly type: 'ended';
      readonly turnId: string;
      readonly end: TurnOutcome['end'];
      readonly report: TurnReport;
    }
  /** Messages that get no turn: withdrawn, pushed out of a full queue. */
  | { readonly type: 'dropped'; readonly messages: HostTurn['messages']; readonly reason: string }
  /** A message to a session of clients that is no reply of a turn: a question, something that a tool sent. */
  | { readonly type: 'said'; readonly key: string; readonly address: string; readonly payload: ReplyPayload }
  /** Messages were added to a transcript. */
  | {
      readonly type: 'appended';
      readonly session: SessionRef & { readonly sessionId: string; readonly sessionFile: string };
      /** Of their lines, in order. */
      readonly entryIds: readonly string[];
    }
  /** To the caller of `say` alone. */
  | { readonly type: 'saying'; readonly id: string; readonly news: SayNews }
  | { readonly type: 'notice'; readonly notice: Pick<BotNotice, 'about' | 'message'> };

export type HostPhase =
  /** `reason`: of the end of the one before. */
  | { readonly at: 'starting'; readonly reason?: string }
  /** There is no process: nothing waits, and no channel or heartbeat needs one. The next call starts it. */
  | { readonly at: 'resting' }
  | { readonly at: 'up'; readonly pid: number; readonly sinceMs: number }
  /** It does not answer; it is ended and begun again when it goes on. */
  | { readonly at: 'blocked'; readonly pid: number; readonly sinceMs: number }
  | { readonly at: 'down'; readonly reason: string; readonly retryAtMs: number }
  | { readonly at: 'closed' };

export interface HostStatus {
  readonly phase: HostPhase;
  /** How often it ended without being asked to. */
  readonly crashes: number;
  /** Of its event loop, as it last said. ms */
  readonly delayMs?: number;
  /** Those that are open, as it last said; none while there is no process. */
  readonly channels: readonly ChannelState[];
  /** The models that turns wait for, as it last said. */
  readonly waits: readonly ModelWait[];
  /** Of the process, as it last said; none while there is no process. */
  readonly failingSteps: readonly FailingStep[];
}

/** What the gateway has of the process: starts it, and starts it again when it ends or blocks. */
export interface AgentHost {
  readonly calls: HostCalls;
  readonly status: HostStatus;
  /** Turns that run now. */
  readonly turns: ReadonlyMap<string, HostTurn>;
  onEvent(listener: (event: HostEvent) => void): () => void;
  onStatus(listener: (status: HostStatus) => void): () => void;
  /** Resolves when it can be asked. */
  ready(): Promise<void>;
  /** Starts a process that rests: a call may come soon. */
  warm(): void;
  /** Runs may end within the time; what does not is recorded, and goes on with the next process. */
  close(graceMs: number): Promise<void>;
}
