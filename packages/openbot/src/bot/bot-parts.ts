import type { Gatekeeper } from '../access/gatekeeper.ts';
import type { Outlet } from '../channels/contract.ts';
import type { Sender } from '../delivery/sender.ts';
import type { OutboxMessage } from '../outbox/contract.ts';
import type { ConversationDesk } from '../questions/conversation-desk.ts';
import type { Dispatcher } from '../queue/dispatcher.ts';
import type { BotState } from '../state/open-state.ts';
import type { TurnReport, TurnTools, TurnWatcher } from '../turn/turn-tools.ts';
import type { AgentTools } from './agent-tools.ts';
import type { BotChannels } from './bot-channels.ts';
import type { BotOptions } from './contract.ts';
import type { FailingSteps } from './failing-steps.ts';
import type { MessageReader } from './message-reader.ts';

/** Waits for the turn of a message in this process. */
export interface SayWatcher extends TurnWatcher {
  readonly sessionKey: string;
  /** The person does not wait any longer. */
  isAborted(): boolean;
  /** When storage failed first. ms, of `performance.now` */
  troubledSince?: number;
  /** The turn failed in this process. It is begun again by the one that gets the session next. */
  onFailed(): void;
  onReport(report: TurnReport, turnId: string): void;
}

/** The parts of a running bot, for `say`. */
export interface BotParts {
  readonly options: BotOptions;
  readonly state: BotState;
  readonly tools: TurnTools;
  readonly agentTools: AgentTools;
  readonly dispatcher: Dispatcher;
  readonly sender: Sender;
  readonly desk: ConversationDesk;
  readonly channels: BotChannels;
  readonly gate: Gatekeeper;
  readonly local: Outlet;
  readonly read: MessageReader;
  /** By the seq of the message. */
  readonly watchers: Map<number, SayWatcher>;
  readonly steps: FailingSteps;
  /** A reply is not sent any more. */
  onDead(letter: OutboxMessage, error: string): void;
  /** Ends what follows changes of the configuration. */
  forgetConfig(): void;
}
