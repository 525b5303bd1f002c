import { setImmediate as nextTick } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { isHandledElsewhere, passOnSignal } from '@openbot/sessions/disk';
import { EventSource } from '../conversation/event-source.ts';
import { assertSayable, FollowUps } from '../conversation/follow-ups.ts';
import { loadAgentSdk } from '../conversation/load-agent-sdk.ts';
import { PermissionRelay } from '../conversation/permission-relay.ts';
import type { PermissionAnswer, PermissionRequest } from '../run-contract/permission.ts';
import type { RunEvent, RunOutcome } from '../run-contract/run-event.ts';
import { DEFAULT_PERMISSION_TIMEOUT_MS, type RunRequest } from '../run-contract/run-request.ts';
import { resolveRunScope } from '../run-contract/run-scope.ts';
import { describeOutcome, runInRepo } from './run-in-repo.ts';

/**
 * Runs Claude Code on a task in a repository. It begins in a later tick: a caller that listens at once misses no event.
 */
export function startRun(request: RunRequest): ClaudeRun {
  return new ClaudeRun(request);
}

/** One run: it waits for its repository, chooses its session, works on the task, then on follow-ups, and ends. */
export class ClaudeRun {
  /**
   * How it ended, once no process of it is left.
   * Rejects if there was no run: REPO_NOT_FOUND, SDK_NOT_INSTALLED, REPO_BUSY, SESSION_BUSY, SESSION_OPEN,
   * BUDGET_SPENT, CLAUDE_NOT_STARTED, REGISTRY_UNREADABLE, REGISTRY_WRITE_FAILED, SELECTION_CONFIG_INVALID, INVALID_ARGUMENT;
   * LOCK_FAILED, LOCK_TIMEOUT or LOCK_LOST if a lock cannot be taken; and with any error of `mcpServers`.
   */
  readonly outcome: Promise<RunOutcome>;
  readonly #request: RunRequest;
  readonly #events = new EventSource<RunEvent>();
  readonly #relay: PermissionRelay;
  readonly #followUps = new FollowUps();
  readonly #stop = new AbortController();
  #sessionId: string | undefined;

  constructor(request: RunRequest) {
    this.#request = request;
    if (request.onEvent !== undefined) this.#events.listen(request.onEvent);
    this.#relay = new PermissionRelay({
      timeoutMs: request.permissionTimeoutMs ?? DEFAULT_PERMISSION_TIMEOUT_MS,
      onAsked: (asked) => this.#emit({ type: 'permission', request: asked }),
      onSettled: (requestId, settlement) => this.#emit({ type: 'permission-settled', requestId, settlement }),
    });
    const { signal } = request;
    const onAbort = () => this.abort();
    if (signal?.aborted) this.abort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    this.outcome = this.#run().finally(() => {
      signal?.removeEventListener('abort', onAbort);
      this.#followUps.close();
      this.#events.end();
    });
    // The rejection must not end the process of a caller that only reads events.
    this.outcome.catch(() => {});
    if (request.handlesSignals !== false) endOnSignals({ abort: () => this.abort(), over: this.outcome });
  }

  /** Known once it has started. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** All events from now on, to the end. */
  events(): AsyncGenerator<RunEvent, void> {
    return this.#events.read();
  }

  onEvent(listener: (event: RunEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  /** The listener answers by `respondToPermission`. Without a listener every request is denied. */
  onPermissionRequest(listener: (request: PermissionRequest) => void): () => void {
    return this.#relay.listen(listener);
  }

  /** False if the request is not open any more. */
  respondToPermission(requestId: string, answer: PermissionAnswer): boolean {
    return this.#relay.respond(requestId, answer);
  }

  /**
   * Sends a follow-up. It waits for the end of the turn that is under way.
   * @throws OpenBotError RUN_ENDED; OpenBotError INVALID_ARGUMENT if it is empty or would leave the session
   */
  send(text: string): void {
    assertSayable(text, 'follow-up');
    if (this.#followUps.isClosed || this.#stop.signal.aborted) {
      throw new OpenBotError('RUN_ENDED', 'The run has ended, or is about to', {
        hint: 'Start another one on its session.',
      });
    }
    this.#emit({ type: 'follow-up-queued', text, waiting: this.#followUps.count + 1 });
    this.#followUps.add(text);
  }

  /** Takes no more follow-ups: the run ends when those that wait are done. */
  end(): void {
    this.#followUps.close();
  }

  /** Ends the run now. `outcome` settles when no process of it is left. */
  abort(): void {
    this.#stop.abort();
  }

  #emit(event: RunEvent): void {
    if (event.type === 'started') this.#sessionId = event.sessionId;
    this.#events.emit(event);
  }

  async #run(): Promise<RunOutcome> {
    await nextTick();
    const scope = resolveRunScope(this.#request);
    const sdk = await loadAgentSdk();
    const { signal } = this.#stop;
    const outcome = await runInRepo({
      request: this.#request,
      scope,
      sdk,
      followUps: this.#followUps,
      relay: this.#relay,
      signal,
      abort: () => this.abort(),
      emit: (event) => this.#emit(event),
      warn: (message) => this.#emit({ type: 'warning', message }),
    }).catch((error: unknown) => {
      // An abort before the start: the wait for the repository or a lock throws.
      const isAbort = signal.aborted && error instanceof Error && error.name === 'AbortError';
      if (!isAbort) throw error;
      const end = { result: 'aborted' as const, text: '', ending: 'aborted' as const };
      return describeOutcome(end, this.#followUps, this.#sessionId);
    });
    this.#emit({ type: 'ended', outcome });
    return outcome;
  }
}

interface EndingRun {
  abort(): void;
  /** Settles when no process of the run is left. */
  readonly over: Promise<unknown>;
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const runs = new Set<EndingRun>();

/** Until the run is over, a signal that ends this process ends the run first. */
export function endOnSignals(run: EndingRun): void {
  if (runs.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
  runs.add(run);
  const forget = () => {
    runs.delete(run);
    if (runs.size === 0) for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  void run.over.then(forget, forget);
}

function onSignal(signal: NodeJS.Signals): void {
  const ending = [...runs];
  for (const run of ending) run.abort();
  void Promise.allSettled(ending.map(({ over }) => over)).then(() => {
    // If the program handles the signal itself, it decides what comes next.
    if (isHandledElsewhere(signal, onSignal)) return;
    process.off(signal, onSignal);
    passOnSignal(signal);
  });
}
