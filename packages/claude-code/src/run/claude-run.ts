import { setImmediate as nextTick } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import type { ProcessIdentity } from '@openbot/sessions/disk';
import { Conversation, type ConversationEnd } from '../conversation/conversation.ts';
import { EventSource } from '../conversation/event-source.ts';
import { assertSayable, FollowUps } from '../conversation/follow-ups.ts';
import { type AgentSdk, loadAgentSdk } from '../conversation/load-agent-sdk.ts';
import { PermissionRelay } from '../conversation/permission-relay.ts';
import { openServers, type RunServers } from '../conversation/run-servers.ts';
import { closeCrashed } from '../ledger/session-history.ts';
import { SessionLedger } from '../ledger/session-ledger.ts';
import { endLeftovers } from '../processes/end-leftovers.ts';
import type { RunNote } from '../processes/run-note.ts';
import { refuseNestedRun } from '../queue/nested-run.ts';
import { type RepoSlot, takeRepoSlot } from '../queue/repo-slot.ts';
import { assertNotOpen, lockSession, resolveRepoLocks } from '../queue/run-locks.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { readAllRegistries } from '../registry/registry-file.ts';
import { findRepoKey, isInRepo } from '../repo/resolve-repo.ts';
import type { PermissionAnswer, PermissionRequest } from '../run-contract/permission.ts';
import type { RunEvent, RunOutcome } from '../run-contract/run-event.ts';
import { DEFAULT_PERMISSION_TIMEOUT_MS, type RunRequest } from '../run-contract/run-request.ts';
import { type RunScope, resolveRunScope } from '../run-contract/run-scope.ts';
import { markOrigin } from '../scan/first-message.ts';
import { type ChosenSession, chooseSession, freshSession } from './choose-session.ts';
import { endOnSignals } from './live-runs.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * Runs Claude Code on a task in a repository. It begins after the caller's own step: who listens at once misses nothing.
 */
export function startRun(request: RunRequest): ClaudeRun {
  return new ClaudeRun(request);
}

/** One run: waiting for its repository, its session, the task, follow-ups, the end. */
export class ClaudeRun {
  /**
   * How it ended, when nothing of it is left.
   * Rejects where there was no run: REPO_NOT_FOUND, SDK_NOT_INSTALLED, REPO_BUSY, SESSION_BUSY, SESSION_OPEN,
   * BUDGET_SPENT, CLAUDE_NOT_STARTED, REGISTRY_UNREADABLE, SELECTION_CONFIG_INVALID, INVALID_ARGUMENT; LOCK_FAILED, LOCK_TIMEOUT or
   * LOCK_LOST where locks cannot be had; and with whatever `mcpServers` throws.
   */
  readonly outcome: Promise<RunOutcome>;
  readonly #request: RunRequest;
  readonly #events = new EventSource<RunEvent>();
  readonly #relay: PermissionRelay;
  readonly #followUps = new FollowUps();
  readonly #stop = new AbortController();
  #sessionId: string | undefined;
  /** Why it cannot go on, where it lost a lock. */
  #lost: string | undefined;

  constructor(request: RunRequest) {
    this.#request = request;
    if (request.onEvent !== undefined) this.#events.listen(request.onEvent);
    const emit = (event: RunEvent) => this.#events.emit(event);
    this.#relay = new PermissionRelay({
      timeoutMs: request.permissionTimeoutMs ?? DEFAULT_PERMISSION_TIMEOUT_MS,
      onAsked: (asked) => emit({ type: 'permission', request: asked }),
      onSettled: (requestId, settlement) => emit({ type: 'permission-settled', requestId, settlement }),
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
    // A caller who only reads events must not be ended by a rejection.
    this.outcome.catch(() => {});
    if (request.handlesSignals !== false) endOnSignals({ abort: () => this.abort(), over: this.outcome });
  }

  /** Known once it has started. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Everything from now on, to the end. */
  events(): AsyncGenerator<RunEvent, void> {
    return this.#events.read();
  }

  onEvent(listener: (event: RunEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  /** Who listens is asked, and answers by `respondToPermission`. While nobody listens, everything is denied. */
  onPermissionRequest(listener: (request: PermissionRequest) => void): () => void {
    return this.#relay.listen(listener);
  }

  /** False where the question is not open any more. */
  respondToPermission(requestId: string, answer: PermissionAnswer): boolean {
    return this.#relay.respond(requestId, answer);
  }

  /**
   * Says something more. While a turn is under way it waits for its end.
   * @throws OpenBotError RUN_ENDED; OpenBotError INVALID_ARGUMENT where it is empty or would leave the session
   */
  send(text: string): void {
    assertSayable(text, 'follow-up');
    if (this.#followUps.isClosed || this.#stop.signal.aborted) {
      throw new OpenBotError('RUN_ENDED', 'The run has ended, or is about to', {
        hint: 'Start another one on its session.',
      });
    }
    this.#events.emit({ type: 'follow-up-queued', text, waiting: this.#followUps.count + 1 });
    this.#followUps.add(text);
  }

  /** No more follow-ups: it ends when those that wait are done. */
  end(): void {
    this.#followUps.close();
  }

  /** Ends it now. `outcome` tells when nothing of it is left. */
  abort(): void {
    this.#stop.abort();
  }

  async #run(): Promise<RunOutcome> {
    await nextTick();
    const scope = resolveRunScope(this.#request);
    const sdk = await loadAgentSdk();
    const outcome = await this.#runInRepo(scope, sdk).catch((error: unknown) => {
      // Waiting for the repository or a lock ends with an error when it is aborted.
      if (this.#stop.signal.aborted && isAbort(error))
        return this.#describe({ result: 'aborted', text: '', ending: 'aborted' });
      throw error;
    });
    this.#events.emit({ type: 'ended', outcome });
    return outcome;
  }

  async #runInRepo(scope: RunScope, sdk: AgentSdk): Promise<RunOutcome> {
    refuseNestedRun(scope.repo.path, scope.env);
    const slot = await takeRepoSlot(resolveRepoLocks(scope.env, scope.repo.path), {
      repoPath: scope.repo.path,
      signal: this.#stop.signal,
      onQueued: (behind) => this.#events.emit({ type: 'queued', behind }),
    });
    this.#abortWithout(slot);
    try {
      const repoKey = findRepoKey(scope.repo.path);
      await this.#endLeftovers(
        scope,
        (note) => note.repoKey === repoKey,
        ({ repoPath }) => isInRepo(scope.repo, repoPath),
      );
      return await this.#runChosen(scope, sdk, slot);
    } finally {
      await slot.release();
    }
  }

  /** One that fits best may be taken by somebody else while it is chosen: then the next best does. */
  async #runChosen(scope: RunScope, sdk: AgentSdk, slot: RepoSlot): Promise<RunOutcome> {
    for (let choices = 1; ; choices++) {
      const chosen = await chooseSession(this.#request, scope, {
        onSelected: (selection) => this.#events.emit({ type: 'selected', selection }),
        warn: (message) => this.#warn(message),
        signal: this.#stop.signal,
      });
      this.#stop.signal.throwIfAborted();
      try {
        return await this.#runFrom(chosen, scope, sdk, slot);
      } catch (error) {
        const isTaken = error instanceof OpenBotError && TAKEN.has(error.code);
        if (!isTaken || chosen.isNamed || choices === MOST_CHOICES) throw error;
      }
    }
  }

  /** In the chosen session; in a fresh one where that is not known. */
  async #runFrom(chosen: ChosenSession, scope: RunScope, sdk: AgentSdk, slot: RepoSlot): Promise<RunOutcome> {
    const outcome = await this.#runSession(chosen, scope, sdk, slot);
    if (!('isUnknown' in outcome)) return outcome;
    const sessionId = chosen.forkOf ?? chosen.sessionId;
    this.#events.emit({ type: 'fallback', sessionId, reason: outcome.reason });
    const { sessions } = chosen;
    const fresh = { ...freshSession(sessionId), sessions };
    const second = await this.#runSession(fresh, scope, sdk, slot);
    if ('isUnknown' in second) throw new Error(`a fresh session cannot be unknown: ${second.reason}`);
    return second;
  }

  async #runSession(
    chosen: ChosenSession,
    scope: RunScope,
    sdk: AgentSdk,
    slot: RepoSlot,
  ): Promise<RunOutcome | (ConversationEnd & { isUnknown: true })> {
    const { action, sessionId, forkOf } = chosen;
    if (!UUID.test(forkOf ?? sessionId)) {
      return { isUnknown: true, reason: 'It is not the id of a Claude Code session' };
    }
    // In a fresh one the marker stands before it, so that it is no command.
    if (action !== 'fresh') assertSayable(this.#request.task, 'task');
    const lock = await lockSession(sessionId, scope.env);
    this.#abortWithout(lock);
    try {
      if (action === 'resume') {
        const isOfSession = (one: { readonly sessionId: string }) => one.sessionId === sessionId;
        await this.#endLeftovers(scope, isOfSession, isOfSession);
        assertNotOpen(sessionId, scope.env);
      }
      const ledger = await this.#openLedger(chosen, scope);
      const servers = await this.#openServers(chosen, scope);
      const { task } = this.#request;
      const conversation = new Conversation({
        sdk,
        request: this.#request,
        scope,
        sessionId,
        action,
        forkOf,
        firstMessage: action === 'fresh' ? markOrigin(scope.agentId, task) : task,
        servers,
        ledger,
        followUps: this.#followUps,
        relay: this.#relay,
        slot,
        signal: this.#stop.signal,
        emit: (event) => {
          if (event.type === 'started') this.#sessionId = event.sessionId;
          this.#events.emit(event);
        },
      });
      const end = await conversation
        .run()
        .catch(async (error: unknown) => {
          await ledger.finish('error');
          throw error;
        })
        .finally(() => servers.close());
      if (end.isUnknown) return end;
      const isLost = this.#lost !== undefined && end.result === 'aborted';
      const told = isLost ? { result: 'error' as const, text: end.text, failure: this.#lost } : end;
      await ledger.finish(told.result);
      return this.#describe(told, ledger);
    } finally {
      await lock.release();
    }
  }

  /** An abort does not wait for servers that take their time; should they come, they are closed. */
  #openServers(chosen: ChosenSession, scope: RunScope): Promise<RunServers> {
    const { sessionId, action, sessions } = chosen;
    const { agentId, stateDir, repo, env } = scope;
    const opening = openServers(this.#request, {
      context: { sessionId, action, agentId, stateDir, repoPath: repo.path, sessions },
      env,
      warn: (message) => this.#warn(message),
    });
    return unlessAborted(this.#stop.signal, () => opening).catch((error: unknown) => {
      void opening.then((servers) => servers.close()).catch(() => {});
      throw error;
    });
  }

  #openLedger(
    { action, sessionId, forkOf, replaces }: ChosenSession,
    { stateDir, agentId, repo, label, env }: RunScope,
  ): Promise<SessionLedger> {
    const { task, maxBudgetUsd } = this.#request;
    return SessionLedger.open({
      stateDir,
      agentId,
      repoPath: repo.path,
      sessionId,
      action,
      forkOf,
      replaces,
      label,
      task,
      maxBudgetUsd,
      env,
      warn: (message) => this.#warn(message),
    });
  }

  #warn(message: string): void {
    this.#events.emit({ type: 'warning', message });
  }

  /** Going on without its lock would be two at once. */
  #abortWithout({ signal }: { readonly signal: AbortSignal }): void {
    const onLost = () => {
      this.#lost ??= (signal.reason as Error).message;
      this.#warn(this.#lost);
      this.abort();
    };
    signal.addEventListener('abort', onLost, { once: true });
  }

  /** What crashed runs left at work is ended, and their end is written down. */
  async #endLeftovers(
    { stateDir, env }: RunScope,
    isMeant: (note: RunNote) => boolean,
    isEntryMeant: (session: RegisteredSession) => boolean,
  ): Promise<void> {
    const warn = (error: Error) => this.#warn(error.message);
    const onFound = ({ sessionId }: RunNote, { pid }: ProcessIdentity) =>
      this.#events.emit({ type: 'leftover', sessionId, pid });
    await endLeftovers({ env, isMeant, onFound, signal: this.#stop.signal });
    const sessions = readAllRegistries(stateDir, warn).filter(isEntryMeant);
    await closeCrashed(sessions, { stateDir, env }).catch(warn);
  }

  #describe(
    end: Pick<RunOutcome, 'result' | 'text' | 'ending'> & { readonly failure?: string },
    ledger?: SessionLedger,
  ): RunOutcome {
    const { result, text, failure, ending } = end;
    return {
      sessionId: this.#sessionId,
      result,
      text,
      failure,
      ending,
      turns: ledger?.turns ?? 0,
      costUsd: ledger?.costUsd ?? 0,
      totalCostUsd: ledger?.totalCostUsd ?? 0,
      ...(ledger?.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: ledger.maxBudgetUsd }),
      unsent: this.#followUps.list(),
    };
  }
}

const MOST_CHOICES = 3;
const TAKEN: ReadonlySet<string> = new Set(['SESSION_BUSY', 'SESSION_OPEN']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
