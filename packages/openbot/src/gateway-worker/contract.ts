/**
 * The process that does what would hold up the gateway: it reads, counts or rewrites whole transcripts. All that is said to
 * it and by it is JSON.
 */
import type { WrittenError } from '../agent-host/ipc.ts';
import type { Caller } from '../gateway-protocol/method.ts';
import type { TASKS } from './tasks.ts';

export { PRESETS } from './task-place.ts';

export type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type Given<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type Result<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** Who waits for a task: a call of a method is one. */
export interface TaskCaller {
  readonly caller: Pick<Caller, 'connId' | 'deviceId' | 'agentIds'>;
  /** Aborted when it is gone. */
  readonly signal: AbortSignal;
}

export interface GatewayWorker {
  /**
   * Throws what the task throws, and UNAVAILABLE where its process ended before it was done. A task that was ended has left
   * every file as it was, or has done its work whole.
   */
  run<Name extends TaskName>(name: Name, given: Given<Name>, by?: TaskCaller): Promise<Result<Name>>;
  /** Waits for what is under way, and ends it after the time. */
  close(graceMs: number): Promise<void>;
}

export type ToWorker =
  | { readonly task: number; readonly name: TaskName; readonly given: unknown }
  /** The caller of the task is gone. */
  | { readonly left: number };

export type FromWorker =
  | { readonly task: number; readonly value: unknown }
  | { readonly task: number; readonly error: WrittenError }
  /** Said from time to time: a task may take long, or wait. */
  | { readonly alive: true };
