/** What commands ask of a gateway: what they would do themselves without one. The methods are in `gateway-methods/commands/`. */
import type { FailingStep, SayEvent, SayRequest } from '../bot/contract.ts';
import type { ChannelCapabilities, ChannelHealth } from '../channels/contract.ts';
import type { Answer, Question } from '../permissions/contract.ts';
import type { ModelWait } from '../queue/contract.ts';

/** Methods for the commands of this version alone; no other client should call them. */
export const COMMAND_METHOD = {
  say: 'openbot.command.say',
  tellSay: 'openbot.command.tellSay',
  changeSessions: 'openbot.command.changeSessions',
  noteChange: 'openbot.command.noteChange',
  changeLetters: 'openbot.command.changeLetters',
  send: 'openbot.command.send',
  state: 'openbot.command.state',
} as const;

/** The only property of what a method sends before its result. */
export const EARLY = 'openbot.early';

/** As the request of `Bot.say`, over a wire. */
export interface WiredSay extends Omit<SayRequest, 'signal' | 'asker' | 'onEvent'> {
  /** Whether the caller can ask a person for permissions. */
  readonly asks: boolean;
}

/** What the caller hears before the result. */
export type SayNews =
  | { readonly event: SayEvent }
  | { readonly asked: { readonly questionId: string; readonly question: Question } }
  | { readonly closed: { readonly questionId: string; readonly why: 'timeout' | 'withdrawn' } };

/** What the caller says meanwhile. */
export type SayWord =
  | { readonly abort: true }
  | { readonly answer: Answer; readonly questionId: string }
  /** The caller is gone: the run goes on, and no one can be asked. */
  | { readonly left: true };

/** An account that the process has open, or tries to open. */
export interface ChannelState {
  readonly channel: string;
  readonly accountId: string;
  readonly summary?: string;
  /** `starting` also before it was opened, and `reconnecting` while opening it is tried again. */
  readonly health: ChannelHealth;
  /** Absent until it was opened. */
  readonly capabilities?: Omit<ChannelCapabilities, 'textLimit'> & { readonly textLimit?: number };
  /** When it was opened last. ms */
  readonly startedAt?: number;
  /** ms */
  readonly lastInboundAt?: number;
  /** ms */
  readonly lastOutboundAt?: number;
  /** The last one, also of a channel that works again. */
  readonly lastError?: string;
}

/** What is known of a gateway only by itself. */
export interface GatewayState {
  readonly host: {
    /** `up`, `resting`, `starting`, `blocked`, `down`, `closed`. */
    readonly at: string;
    readonly pid?: number;
    /** Of `down`, and of `starting` after it. */
    readonly reason?: string;
    readonly crashes: number;
    /** Of its event loop. */
    readonly delayMs?: number;
  };
  /** Why the configuration is not used as it is now. */
  readonly configFault?: string;
  /** The models that cannot be reached, and whose sessions wait. */
  readonly waits: readonly ModelWait[];
  /** What fails again and again; absent in former versions. */
  readonly failingSteps?: readonly FailingStep[];
  /** How late the gateway's own event loop was within the last minute; absent in former versions. */
  readonly eventLoop?: { readonly delayP99Ms: number; readonly delayMaxMs: number };
  /** Accounts on chat networks. */
  readonly channels: readonly ChannelState[];
  /** Turns that run. */
  readonly runs: number;
  /** Clients, without the one that asks. */
  readonly connections: number;
}
