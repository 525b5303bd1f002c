import type { ProcessIdentity } from '@openbot/sessions/disk';
import type { OwnRun } from '../storage/contract/use.ts';

/** A process holds the lock of the transcript. */
export interface LockUse {
  readonly kind: 'lock';
  readonly lockPath: string;
  readonly pid: number | undefined;
  /** For a message: the process, its program and since when. */
  readonly who: string;
  /** The same without the time. */
  readonly holder: string;
  /** False if it cannot be determined here, as for a process of another host. */
  readonly isKnownAlive: boolean;
  /** It is above this process: the agent whose tool call runs us. */
  readonly isAncestor: boolean;
  /** A program of the same library holds it, for the time of one write. */
  readonly isBrief: boolean;
}

/** Another process has the transcript open for writing: what it writes after a swap would go to the old file. */
export interface WriterUse {
  readonly kind: 'writer';
  readonly pid: number;
  readonly who: string;
  readonly isAncestor: boolean;
}

/** A guess: the last exchange is unfinished, and the transcript changed recently or its run is known to continue. */
export interface UnfinishedUse {
  readonly kind: 'unfinished';
  /** Since the transcript last changed. */
  readonly ageMs: number;
  readonly ownRun: OwnRun;
  /** What the run thinks after a change of earlier messages would not count: it is bound to what it has in memory. */
  readonly bindsThinking?: boolean;
  /** The process that works on the exchange, where it is known. */
  readonly runner?: Partial<ProcessIdentity>;
}

export type SessionUse = LockUse | WriterUse | UnfinishedUse;

const RECENT_MS = 60_000;

/**
 * Whether a transcript changed so recently that an unfinished exchange probably continues. A time far in the future only
 * shows that a clock was wrong.
 */
export function isRecent(ageMs: number): boolean {
  return Math.abs(ageMs) < RECENT_MS;
}
