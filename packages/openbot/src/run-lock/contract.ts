/** Who runs a session. */
export interface RunHolder {
  /** For people: `openbot agent, process 4711`. */
  readonly description: string;
  readonly since: number | undefined;
  /** It was taken by this process, through this object. */
  readonly isOwn: boolean;
}

export interface HeldRun {
  readonly address: string;
  /** False once the lock was lost: the run must not write any more. */
  isHeld(): boolean;
  release(): Promise<void>;
}

/** One run per session, across processes. Sessions are named by `addressOf`. A holder that died loses the lock. */
export interface RunLock {
  /** Undefined when another run holds it for longer than `waitMs`. Rejects with the signal's reason when aborted. */
  acquire(
    address: string,
    options: { readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<HeldRun | undefined>;
  holder(address: string): Promise<RunHolder | undefined>;
  /** Those of the sessions that run, with the process that runs each where it is known. Cheap also for thousands. */
  running(addresses: Iterable<string>): Promise<ReadonlyMap<string, number | undefined>>;
  close(): Promise<void>;
}
