/** Somebody's lock on the transcript. */
export interface LockUse {
  readonly kind: 'lock';
  readonly lockPath: string;
  readonly pid: number | undefined;
  /** A phrase for a person: which process, its program, since when. */
  readonly who: string;
  /** True when it runs; false when nobody here can tell, as with a process of another host. */
  readonly isKnownAlive: boolean;
  /** A process above this one: the agent whose tool call we are. */
  readonly isAncestor: boolean;
  /** A program of the same library holds it, which does so for the time of one write only. */
  readonly isBrief: boolean;
}

/** Another process keeps the transcript open for writing: what it writes after a swap would go to the old file. */
export interface WriterUse {
  readonly kind: 'writer';
  readonly pid: number;
  readonly who: string;
  readonly isAncestor: boolean;
}

/** A guess: the last exchange has no end yet, and the transcript changed a moment ago or its run is known to go on. */
export interface UnfinishedUse {
  readonly kind: 'unfinished';
  /** Since the transcript last changed. */
  readonly ageMs: number;
  readonly ownRun: OwnRun;
}

/**
 * Whether we are called from the session's own run, and what a rewrite does to it. OpenClaw aborts a run whose file was
 * replaced. Claude Code and pi work on from memory and append to whatever file has the name, so nothing is lost.
 */
export type OwnRun = 'no' | 'aborts' | 'survives';

export type SessionUse = LockUse | WriterUse | UnfinishedUse;

const LIVELY_MS = 60_000;

/**
 * Whether a transcript changed so lately that an unfinished exchange is probably still going on. A time far in the
 * future says nothing but that a clock was wrong.
 */
export function isLively(ageMs: number): boolean {
  return Math.abs(ageMs) < LIVELY_MS;
}
