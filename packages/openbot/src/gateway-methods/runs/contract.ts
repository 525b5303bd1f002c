import type { AcceptedMessage } from '../../agent-host/contract.ts';
import { addressOf, type SessionRef } from '../../session-address.ts';
import type { TurnEvent, TurnReport } from '../../turn/turn-tools.ts';

/** A run by the name that its client gave it. Clients of several sessions may have chosen the same one. */
export interface RunRef extends SessionRef {
  readonly runId: string;
}

/** One text for it. */
export function keyOfRun(run: RunRef): string {
  return `${addressOf(run)}\n${run.runId}`;
}

/** A run as clients know it: by the idempotency key of its message, or by the turn where no client wrote it. */
export interface GatewayRun extends RunRef {
  readonly turnId?: string;
  /** ms */
  readonly acceptedAt: number;
  readonly startedAt?: number;
  /** Once it has begun. */
  readonly sessionId?: string;
  /** What the model has said in this run, and what a person is asked. */
  readonly text: string;
  /** Where in the text the last message of the model begins. */
  readonly messageStart: number;
  readonly isOver: boolean;
}

export interface RunEnding extends RunRef {
  readonly report: TurnReport;
  /** ms */
  readonly endedAt: number;
}

/** What happened to a run. Told in order. */
export type RunChange =
  | { readonly type: 'accepted'; readonly run: GatewayRun }
  /** Its turn is begun; perhaps again, after the process that ran it ended. */
  | { readonly type: 'began'; readonly run: GatewayRun }
  /** `isReplaced`: the text begins anew with this event. */
  | {
      readonly type: 'event';
      readonly run: GatewayRun;
      readonly event: TurnEvent;
      readonly isReplaced: boolean;
    }
  /** The process that ran it has ended; the next one goes on. */
  | { readonly type: 'cut-off'; readonly run: GatewayRun }
  /** `isAnswered`: by its own turn. Another run has the answer of a message that was read together with others. */
  | {
      readonly type: 'ended';
      readonly run: GatewayRun;
      readonly ending: RunEnding;
      readonly isAnswered: boolean;
    };

export interface WaitLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The runs that this gateway knows: those under way, and for a while those that ended. */
export interface GatewayRuns {
  /** Runs of a session that are not over, the first one first. */
  ofSession(session: SessionRef): readonly GatewayRun[];
  /** A message of a client is in the inbox. */
  accepted(run: RunRef, message: AcceptedMessage): GatewayRun;
  /** How a run ended: one that is remembered, or what is kept of its message. Undefined while it has no end, and for one that never was. */
  findEnding(run: RunRef): Promise<RunEnding | undefined>;
  /** Resolves with the end of a run; undefined when it does not end within the time, or the signal is aborted. */
  waitForEnd(run: RunRef, limits: WaitLimits): Promise<RunEnding | undefined>;
  /** The same for a run of which only the name is known: the last one in sessions that `isMeant` knows. */
  waitForNamed(
    runId: string,
    isMeant: (session: SessionRef) => boolean,
    limits: WaitLimits,
  ): Promise<RunEnding | undefined>;
  onChange(listener: (change: RunChange) => void): () => void;
  close(): void;
}
