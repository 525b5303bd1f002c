import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@openbot/sessions/layout';
import { readError } from '../agent-host/ipc.ts';
import { startProcess } from '../agent-host/start-process.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { FromWorker, GatewayWorker, TaskCaller, TaskName, ToWorker } from './contract.ts';

export interface WorkerOptions {
  /** Absolute. */
  readonly stateDir: string;
  readonly env: Environment;
  log(line: string): void;
  /** How long a process without work is kept. ms */
  readonly restMs?: number;
  /** How long a process with work may say nothing at all before it is killed. ms */
  readonly silentMs?: number;
}

const REST_MS = 10_000;
/** More than this at once means that clients ask again and again. */
const MOST_WAITING = 100;
const MOST_WAITING_OF_CALLER = 10;
const SILENT_MS = 5 * 60_000;

export function openWorker(options: WorkerOptions): GatewayWorker {
  return new WorkerKeeper(options) as GatewayWorker;
}

interface Waiting {
  readonly whose: string | undefined;
  readonly promise: Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Starts the process with the first task, and ends it when there was none for a while. */
class WorkerKeeper {
  readonly #options: WorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #child: Promise<ChildProcess> | undefined;
  #rest: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #next = 0;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async run(name: TaskName, given: unknown, { caller, signal }: Partial<TaskCaller> = {}): Promise<unknown> {
    if (this.#isClosed) throw unavailable('the gateway stops');
    if (this.#waiting.size >= MOST_WAITING) throw unavailable('too much of it waits');
    const whose = caller && nameCaller(caller);
    const own = [...this.#waiting.values()].filter((one) => whose !== undefined && one.whose === whose);
    if (own.length >= MOST_WAITING_OF_CALLER) throw unavailable('too much of yours waits');
    signal?.throwIfAborted();
    clearTimeout(this.#rest);
    if (this.#waiting.size === 0) this.#listen();
    this.#child ??= this.#start();
    const child = this.#child;
    const waiting: Waiting = { ...Promise.withResolvers<unknown>(), whose };
    const task = ++this.#next;
    this.#waiting.set(task, waiting);
    // Where it cannot be sent, the process has not begun or is at its end, and `#start` says so.
    const send = (message: ToWorker) =>
      child.then(
        (process) => process.connected && process.send(message, () => {}),
        () => {},
      );
    const leave = () => void send({ left: task });
    void send({ task, name, given });
    signal?.addEventListener('abort', leave, { once: true });
    return waiting.promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const rest = Promise.allSettled([...this.#waiting.values()].map(({ promise }) => promise));
    await Promise.race([rest, sleep(graceMs, undefined, { ref: false })]);
    this.#end('SIGKILL');
  }

  #start(): Promise<ChildProcess> {
    const child = startProcess('gateway-worker', this.#options);
    child.then(
      (process) => {
        process.on('message', (message: FromWorker) => this.#hear(message));
        process.once('exit', (code, signal) =>
          this.#onEnd(child, `it ended with ${signal ?? `code ${code}`}`),
        );
      },
      (error: Error) => this.#onEnd(child, `its process cannot be started: ${error.message}`),
    );
    return child;
  }

  /** A process that is blocked, or stopped, would be waited for without end. */
  #listen(): void {
    clearTimeout(this.#silence);
    const { silentMs = SILENT_MS, log } = this.#options;
    this.#silence = setTimeout(() => {
      const reason = `it said nothing for ${Math.round(silentMs / 1000)} s`;
      log(`The process for long work is killed: ${reason}`);
      this.#end('SIGKILL', reason);
    }, silentMs).unref();
  }

  #hear(message: FromWorker): void {
    if (this.#waiting.size > 0) this.#listen();
    if ('alive' in message) return;
    const waiting = this.#waiting.get(message.task);
    if (waiting === undefined) return;
    this.#waiting.delete(message.task);
    if ('error' in message) waiting.reject(readError(message.error));
    else waiting.resolve(message.value ?? undefined);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#silence);
    this.#rest = setTimeout(() => this.#end('SIGTERM'), this.#options.restMs ?? REST_MS).unref();
  }

  #end(signal: NodeJS.Signals, reason = 'the gateway stops'): void {
    clearTimeout(this.#rest);
    clearTimeout(this.#silence);
    const child = this.#child;
    // The next task gets a process of its own: this one would take it to its end.
    this.#child = undefined;
    child?.then(
      (process) => process.kill(signal),
      () => {},
    );
    this.#refuseAll(reason);
  }

  #onEnd(child: Promise<ChildProcess>, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    clearTimeout(this.#silence);
    this.#options.log(`The process for long work is gone: ${reason}`);
    this.#refuseAll(reason);
  }

  #refuseAll(reason: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(unavailable(reason));
  }
}

/** All clients with the token of an agent are one. */
function nameCaller({ connId, deviceId, agentIds }: TaskCaller['caller']): string {
  return deviceId ?? (agentIds === undefined ? connId : [...agentIds].join());
}

function unavailable(why: string): Error {
  return refuse('UNAVAILABLE', `this could not be finished: ${why}`, { retryable: true });
}
