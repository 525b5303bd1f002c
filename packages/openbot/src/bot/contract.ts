import type { Environment } from '@openbot/sessions/layout';
import type { QueueMode } from '@openbot/sessions/policy';
import type { Channel } from '../channels/contract.ts';
import type { Clock } from '../clock.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { InboxMessage, MessageIdentity, TurnWish } from '../inbox/contract.ts';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { Asker } from '../permissions/contract.ts';
import type { ModelWait, TurnOutcome, TurnWork } from '../queue/contract.ts';
import type { Runner, RunUsage } from '../runners/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { BotState } from '../state/open-state.ts';
import type { TranscriptUpdate } from '../transcripts/contract.ts';
import type { TurnEvent, TurnReport } from '../turn/turn-tools.ts';
import type { FailingStep } from './failing-steps.ts';

export type { FailingStep };

export interface BotOptions {
  /** Absolute. */
  readonly stateDir: string;
  /** It may change while the bot is open, as that of `watchConfig`. A turn keeps what it began with. */
  readonly config: BotConfig;
  /** Says when the configuration has changed. Returns the function that ends it. */
  readonly onConfigChange?: (listener: () => void) => () => void;
  readonly env: Environment;
  /** Opened with the bot: replies can be delivered through these, and what arrives on them is answered. */
  readonly channels?: readonly Channel[];
  /** In the place of the files of the state folder. Closed with the bot. */
  readonly state?: BotState;
  /** Whether what is said is indexed. Left out: where the state is that of the folder. */
  readonly index?: boolean;
  /** ms */
  readonly now?: () => number;
  /** Of heartbeats, and of the time that people have for an answer. One that does not keep the process running when absent. */
  readonly clock?: Clock;
  /** How long a turn is left alone while no model can be reached: longer with each try. 5 s to 5 min. */
  readonly outagePauses?: { readonly firstMs: number; readonly mostMs: number };
  /** Hears of all turns, of whichever channel. Must not throw. */
  readonly observer?: TurnObserver;
  /** By provider; they win over those that OpenBot has. The caller closes them. */
  readonly runners?: Readonly<Record<string, Runner>>;
  /** Called for what the owner of the bot should know. A warning of the process when absent. */
  readonly report?: (notice: BotNotice) => void;
}

/** Why a message is dropped. Networks are told nothing, as OpenClaw tells them nothing: a stranger learns nothing. */
export const REFUSED = 'a command of a sender who may give none';

/** Why a message has no turn that its sender took back. */
export const WITHDRAWN = 'withdrawn by its sender';

/** Follows what a bot does. Everything is told in the order in which it happens. */
export interface TurnObserver {
  /** A turn is begun, or goes on after a crash or a failure: then its id was told before. */
  onBegan(turn: ObservedTurn): void;
  onEvent(turnId: string, event: TurnEvent): void;
  /** `later` and `held`: it is begun again, by this process or the next one. */
  onEnded(turnId: string, end: TurnOutcome['end'], report: TurnReport): void;
  /** Messages that get no turn. */
  onDropped(messages: readonly InboxMessage[], reason: string): void;
  /** Lines were added to a transcript. */
  onAppended(update: TranscriptUpdate): void;
}

export type ObservedTurn = Pick<TurnWork, 'agentId' | 'sessionKey' | 'turnId' | 'messages'>;

/** Nothing ends because of it. */
export interface BotNotice {
  readonly about: /** A setting that is not used, or one that is missing. */
    | 'configuration'
    /** The disk or the database failed, or a turn did for another reason; it is tried again. */
    | 'trouble'
    /** Messages that get no turn: a full queue pushed them out, or a person withdrew them. */
    | 'dropped'
    /** A reply that is not sent any more. */
    | 'dead letter'
    /** Thinking that a provider left out of a request. */
    | 'thinking';
  readonly message: string;
  readonly cause?: unknown;
}

export interface AbortHow {
  /** The caller has the run lock of the session: nothing of it runs. */
  readonly holdsRun?: boolean;
}

/** A channel of a bot, with what went through it in this process. */
export interface OpenedChannel {
  readonly channel: Channel;
  /** ms */
  readonly lastInboundAt?: number;
  /** ms */
  readonly lastOutboundAt?: number;
}

/** How `openBot` is called. */
export type OpenBot = (options: BotOptions) => Promise<Bot>;

/** Where a reply is sent beside being returned. What is left out comes from the last route of the session. */
export interface WantedDelivery {
  /** `last`, or absent: the channel of the last message of the session. */
  readonly channel?: string;
  readonly accountId?: string;
  readonly to?: string;
  /** Without a place to deliver to, nothing is delivered. Such a request is refused otherwise. */
  readonly isOptional?: boolean;
}

/** What a person wants of one turn. */
export interface WishRequest {
  /** An alias, `provider/model` or a model, for this run alone. */
  readonly model?: string;
  /** Kept for the session. */
  readonly thinking?: string;
  /** Kept for the session. */
  readonly verbose?: string;
  readonly timeoutMs?: number;
  /** What to do with the message while another run of the session goes on. */
  readonly queueMode?: QueueMode;
  readonly deliver?: WantedDelivery;
}

/** A message of the person who runs this process. */
export interface SayRequest extends WishRequest {
  readonly message: string;
  /** Wins over bindings. */
  readonly agentId?: string;
  /** Whole (`agent:main:main`), or without the agent in front. */
  readonly sessionKey?: string;
  /** Of a session that exists. */
  readonly sessionId?: string;
  /** Routed as a direct message from there would be, on `channel` and `accountId`. */
  readonly to?: string;
  readonly channel?: string;
  readonly accountId?: string;
  /** Of a caller in another process: its variables name the agent in the place of those of the bot. */
  readonly env?: Environment;
  /** Under which it is kept: said again, it waits for the same turn. A new one when absent. */
  readonly messageId?: string;
  /** Aborts the run; `say` still resolves, with what was said up to then. */
  readonly signal?: AbortSignal;
  /** Asks the person for permissions. Without it they are denied. */
  readonly asker?: Asker;
  /** The caller shows tool calls as they happen, so that replies do not repeat them. */
  readonly showsTools?: boolean;
  /** Called in order. The `end` event comes before `say` resolves. */
  readonly onEvent?: (event: SayEvent) => void;
}

export type SayEvent =
  | TurnEvent
  /** Another run holds the session. */
  | { readonly type: 'waiting'; readonly behind: string };

export interface SayResult {
  readonly turnId: string;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  /** What a person would be sent. Empty when the agent chose to say nothing. */
  readonly payloads: readonly ReplyPayload[];
  /** Of all requests of the run together. */
  readonly usage?: RunUsage;
  /** Of its last request. */
  readonly lastUsage?: RunUsage;
  readonly compactions?: number;
  readonly outcome: 'answered' | 'silent' | 'aborted' | 'failed';
  /** Of `failed`: what went wrong; of `aborted`: by what, such as a timeout. */
  readonly error?: { readonly message: string; readonly hint?: string };
  readonly durationMs: number;
  /** Where the replies went; absent without `deliver`. */
  readonly delivered?: readonly { readonly key: string; readonly state: 'sent' | 'waiting' | 'dead' }[];
}

/** Agents that answer. All that they keep is in the state folder; several processes may open one. */
export interface Bot {
  /**
   * One turn. Rejects with an OpenBotError before anything is kept or run: unknown agent, session or model, a text that is
   * no message, a delivery without a usable channel. What happens to a run is in the result.
   */
  say(request: SayRequest): Promise<SayResult>;
  /**
   * The agent reads it before the next message of the session; kept until then. `agentId` is for keys that name no agent
   * (`global`); the default agent when absent.
   */
  addSystemEvent(sessionKey: string, text: string, agentId?: string): Promise<void>;
  /** What a message that is accepted on a channel may carry. Rejects as `say` does. */
  wishOf(session: SessionRef, request: WishRequest): Promise<TurnWish | undefined>;
  /**
   * Ends the run of a session; what waits stays. A turn that was begun and waits for its next try is taken back with what
   * waits behind it. False when this process has neither.
   */
  abort(session: SessionRef, how?: AbortHow): Promise<boolean>;
  /** The models that turns wait for. */
  readonly waits: readonly ModelWait[];
  /** Takes back a message that no turn has begun. False when it is not there, or one has. */
  withdraw(identity: MessageIdentity): Promise<boolean>;
  /**
   * As `BotOptions.channels`, of a bot that has some. Rejects when the channel cannot start; then it is not open. `hide`
   * takes secrets out of what the network says.
   */
  openChannel(channel: Channel, hide?: (text: string) => string): Promise<void>;
  /** Nothing is accepted from it when this resolves. Replies to it wait until its account is opened again. */
  closeChannel(channel: Channel): Promise<void>;
  readonly channels: readonly OpenedChannel[];
  /** No message waits, none has a turn, and no coding run goes on. */
  readonly isIdle: boolean;
  /** What has failed five times in a row and is tried again; what a full disk keeps from working at once. */
  readonly failingSteps: readonly FailingStep[];
  /** Looks into the outbox for what another part put there. */
  wakeSender(): void;
  /** Resolves when every message that was accepted has its end and its replies are sent. */
  idle(): Promise<void>;
  /**
   * Begins no turn any more, aborts what still runs after `graceMs` (0 when absent), and resolves when it has ended. An
   * aborted run goes on with the next process.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
