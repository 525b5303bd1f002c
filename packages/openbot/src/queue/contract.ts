import type { InboxMessage, MessageKind } from '../inbox/contract.ts';
import type { HeldRun } from '../run-lock/contract.ts';
import type { AbortCause, Outage } from '../runners/contract.ts';
import type { SessionRef } from '../session-address.ts';

/**
 * Offers a message to the running agent. `joins`: when the agent reads it, it belongs to this turn; otherwise it is a
 * hint, and gets a turn of its own later. False when the run takes no messages any more.
 */
export type Steer = (message: InboxMessage, how: { readonly joins: boolean }) => boolean | Promise<boolean>;

/** One turn, as the queue gives it to `runTurn`. */
export interface TurnWork {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly turnId: string;
  /** At least one, in order of arrival, all to be answered in the same place. */
  readonly messages: readonly InboxMessage[];
  /** A run of this turn was begun before and did not end. What it left is in the transcript. */
  readonly recovering: boolean;
  /**
   * False when the turn was begun too often. What an earlier run has answered is still delivered; without an answer the
   * outcome is `failed`.
   */
  readonly mayRun: boolean;
  /** Of a turn that is taken up again: why its sender may not ask for it any more. It is closed, and answers nothing. */
  readonly refusal?: string;
  /** Names the messages that a full queue pushed out. Belongs in front of what the people wrote. */
  readonly note?: string;
  /** Its reason is an OpenBotError: RUN_INTERRUPTED, RUN_STOPPED, RUN_LOCK_LOST or BOT_STOPPING. */
  readonly signal: AbortSignal;
  /** Resolves when the inbox has the messages as running. Nothing may be written to the transcript before. */
  readonly begun: Promise<void>;
  readonly lock: HeldRun;
  /** From now on messages that arrive are offered to `steer`, in order and one at a time. */
  openSteering(steer: Steer): void;
  /** The message is in the transcript. Resolves when it belongs to this turn in the inbox too. */
  joined(seq: number): Promise<void>;
}

export type TurnOutcome =
  /** The replies are in the outbox, or there are none. An aborted run counts as answered too. */
  | {
      readonly end: 'answered';
      readonly abortedBy?: AbortCause;
      /** The model that answered, `provider/model`. */
      readonly by?: string;
    }
  /** Is not tried again; the person has got an error. */
  | { readonly end: 'failed'; readonly error: string }
  /** Its sender may not ask for it any more; nobody is told. */
  | { readonly end: 'dropped'; readonly reason: string }
  /** No model can be reached. The turn goes on when one can; no person was told. */
  | {
      readonly end: 'held';
      readonly outage: Outage;
      /** How long a provider asks to wait. */
      readonly retryAfterMs?: number;
    }
  /** The process ends. The turn is recovered by the next one that takes the session. */
  | { readonly end: 'later' };

/** A turn that is given up. */
export interface TurnFailure {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly turnId: string;
  readonly messages: readonly InboxMessage[];
  readonly error: string;
  /** Given where the message would have had to wait for a model. */
  readonly outage?: Outage;
  readonly lock: HeldRun;
}

/** A turn that waits for a model, with the first message of each conversation that has not been told yet. */
export interface WaitingTurn extends Omit<TurnFailure, 'error' | 'outage'> {
  readonly outage: Outage;
  /** Nobody has been told. */
  readonly isNew: boolean;
}

/** Sessions whose turns wait for a model. */
export interface ModelWait {
  /** `provider/model` */
  readonly model: string;
  readonly sessions: number;
  /** The first of their tries. ms */
  readonly nextTryAt: number;
}

/** Messages of a session that are handled one after another, beside those of the other lane. */
export type Lane = 'turns' | 'asides';

export interface LaneRef extends SessionRef {
  readonly lane: Lane;
}

export function laneOf(kind: MessageKind): Lane {
  return kind === 'aside' ? 'asides' : 'turns';
}
