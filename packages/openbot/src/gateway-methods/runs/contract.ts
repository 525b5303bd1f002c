import type { SessionRef } from '../../session-address.ts';
import type { TurnReport } from '../../turn/turn-tools.ts';

/** A run as clients know it: by the idempotency key of its message, or by the turn where no client wrote it. */
export interface GatewayRun extends SessionRef {
  readonly runId: string;
  readonly turnId?: string;
  /** ms */
  readonly acceptedAt: number;
  readonly startedAt?: number;
  /** What the model has said up to now. */
  readonly text: string;
  readonly isOver: boolean;
}

export interface RunEnding {
  readonly runId: string;
  readonly report: TurnReport;
  /** ms */
  readonly endedAt: number;
}

/** The runs that this gateway knows: those under way, and for a while those that ended. */
export interface GatewayRuns {
  find(runId: string): GatewayRun | undefined;
  /** Runs of a session that are not over, the first one first. */
  ofSession(session: SessionRef): readonly GatewayRun[];
  /** Resolves with the end of a run; undefined when it does not end within the time, or the signal is aborted. */
  waitForEnd(
    runId: string,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RunEnding | undefined>;
}
