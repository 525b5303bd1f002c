import type { QueueSettings } from '@openbot/sessions/policy';
import type { Clock } from '../clock.ts';
import type { Inbox, InboxMessage, MessageKind } from '../inbox/contract.ts';
import type { RunLock } from '../run-lock/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { LaneRef, TurnFailure, TurnOutcome, TurnWork, WaitingTurn } from './contract.ts';

export interface QueueDependencies {
  readonly inbox: Inbox;
  readonly runLock: RunLock;
  readonly clock: Clock;
  /** Must not start a second run of the same turn id beside one that it has not ended. */
  runTurn(work: TurnWork): Promise<TurnOutcome>;
  settingsOf(session: SessionRef, channel: string): QueueSettings | Promise<QueueSettings>;
  /** The kind that is kept; of a message without one, what the dispatcher was told to take it for. */
  kindOf(message: InboxMessage): MessageKind;
  /** Why a message gets no turn after all: its sender may not ask for it any more. */
  refusalOf(message: InboxMessage): string | undefined;
  /** What a message wants of the queue for itself. */
  hintOf(message: InboxMessage): Partial<QueueSettings>;
  newTurnId(): string;
  /** Whether this process begins turns for these messages, which are all that wait in a session. */
  isWanted(waiting: readonly InboxMessage[]): boolean;
  /**
   * A turn is given up. Tells the person; called again with the same turn id when the process ends before the messages
   * are marked as failed. What it resolves to is called when they are.
   */
  onFailed(failure: TurnFailure): Promise<() => void>;
  /** Whether the sender of a message can do without an answer until a model can be reached again. */
  isPatient(message: InboxMessage): boolean;
  /**
   * A turn waits for a model. Tells the conversation of each message, once for this turn id.
   */
  onOutage(turn: WaitingTurn): Promise<void>;
  /** How long a turn that waits for a model is left alone: longer with each try. */
  readonly outagePauses: { readonly firstMs: number; readonly mostMs: number };
  /** Another process runs the session, and its messages wait. */
  onHeld(sessionKey: string): void;
  onDropped(messages: readonly InboxMessage[], reason: string): void;
  /**
   * Asked, with the session locked where it was, before a turn of `messages` is tried again; without messages the failure
   * concerns none in particular. False when the messages that it concerns have an end now.
   */
  mayRetry(error: unknown, sessionKey: string, messages: readonly InboxMessage[]): Promise<boolean>;
  /** Something could not be read or written; it is tried again. Without a lane: the look for messages of all sessions. */
  onTrouble(error: unknown, lane?: LaneRef): void;
  /** A turn of the lane has ended or waits for a model, or no message waits. Without a lane: as for `onTrouble`. */
  onWorked(lane?: LaneRef): void;
  readonly pollMs: number;
  readonly maxTries: number;
}
