import { OpenBotError } from '@openbot/sessions';
import type { ProcessIdentity } from '@openbot/sessions/disk';
import type { ConversationEnd } from '../conversation/conclude.ts';
import { Conversation } from '../conversation/conversation.ts';
import { assertSayable, type FollowUps } from '../conversation/follow-ups.ts';
import type { AgentSdk } from '../conversation/load-agent-sdk.ts';
import type { PermissionRelay } from '../conversation/permission-relay.ts';
import { openServers, type RunServers } from '../conversation/run-servers.ts';
import { closeCrashed } from '../ledger/session-history.ts';
import { SessionLedger } from '../ledger/session-ledger.ts';
import { endLeftovers } from '../processes/end-leftovers.ts';
import type { RunNote } from '../processes/run-note.ts';
import { type RepoSlot, refuseNestedRun, takeRepoSlot } from '../queue/repo-slot.ts';
import { assertNotOpen, lockSession, resolveRepoLocks } from '../queue/run-locks.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { assertRecordable, readAllRegistries } from '../registry/registry-file.ts';
import { findRepoKey, isInRepo } from '../repo/resolve-repo.ts';
import type { RunEvent, RunOutcome } from '../run-contract/run-event.ts';
import type { RunRequest } from '../run-contract/run-request.ts';
import type { RunScope } from '../run-contract/run-scope.ts';
import { markOrigin } from '../scan/first-message.ts';
import { type ChosenSession, chooseSession, freshSession } from './choose-session.ts';
import { unlessAborted } from './unless-aborted.ts';

/** What the steps of a run share. */
interface RunParts {
  readonly request: RunRequest;
  readonly scope: RunScope;
  readonly sdk: AgentSdk;
  readonly followUps: FollowUps;
  readonly relay: PermissionRelay;
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly emit: (event: RunEvent) => void;
  readonly warn: (message: string) => void;
}

/** With the repository in hand. */
interface SlotParts extends RunParts {
  readonly slot: RepoSlot;
  readonly locks: WatchedLocks;
}

const MOST_CHOICES = 3;
const TAKEN: ReadonlySet<string> = new Set(['SESSION_BUSY', 'SESSION_OPEN']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Waits for the repository, chooses a session and runs in it. Throws an AbortError if it is aborted before it starts. */
export async function runInRepo(parts: RunParts): Promise<RunOutcome> {
  const { repo, env } = parts.scope;
  refuseNestedRun(repo.path, env);
  await assertRecordable(parts.scope.stateDir, parts.scope.agentId);
  const slot = await takeRepoSlot(resolveRepoLocks(env, repo.path), {
    repoPath: repo.path,
    signal: parts.signal,
    onQueued: (behind) => parts.emit({ type: 'queued', behind }),
  });
  const locks = new WatchedLocks(parts);
  locks.watch(slot);
  try {
    const repoKey = findRepoKey(repo.path);
    await endCrashed(
      parts,
      (note) => note.repoKey === repoKey,
      ({ repoPath }) => isInRepo(repo, repoPath),
    );
    return await runChosen({ ...parts, slot, locks });
  } finally {
    await slot.release();
  }
}

/** Another process may take the best session while it is chosen: then the next best is. */
async function runChosen(parts: SlotParts): Promise<RunOutcome> {
  for (let choices = 1; ; choices++) {
    const chosen = await chooseSession(parts.request, parts.scope, {
      onSelected: (selection) => parts.emit({ type: 'selected', selection }),
      warn: parts.warn,
      signal: parts.signal,
    });
    parts.signal.throwIfAborted();
    try {
      return await runOrFallBack(parts, chosen);
    } catch (error) {
      const isTaken = error instanceof OpenBotError && TAKEN.has(error.code);
      if (!isTaken || chosen.isNamed || choices === MOST_CHOICES) throw error;
    }
  }
}

/** In the chosen session, or in a fresh one if Claude Code does not know the chosen one. */
async function runOrFallBack(parts: SlotParts, chosen: ChosenSession): Promise<RunOutcome> {
  const outcome = await runSession(parts, chosen);
  if (!('isUnknown' in outcome)) return outcome;
  const sessionId = chosen.forkOf ?? chosen.sessionId;
  parts.emit({ type: 'fallback', sessionId, reason: outcome.reason });
  const second = await runSession(parts, { ...freshSession(sessionId), sessions: chosen.sessions });
  if ('isUnknown' in second) throw new Error(`a fresh session cannot be unknown: ${second.reason}`);
  return second;
}

async function runSession(
  parts: SlotParts,
  chosen: ChosenSession,
): Promise<RunOutcome | (ConversationEnd & { isUnknown: true })> {
  const { action, sessionId, forkOf } = chosen;
  const { request, scope, locks } = parts;
  if (!UUID.test(forkOf ?? sessionId)) {
    return { isUnknown: true, reason: 'It is not the id of a Claude Code session' };
  }
  // In a fresh session the origin marker precedes the task, so that it is no command.
  if (action !== 'fresh') assertSayable(request.task, 'task');
  const lock = await lockSession(sessionId, scope.env);
  locks.watch(lock);
  try {
    if (action === 'resume') {
      const isOfSession = (one: { readonly sessionId: string }) => one.sessionId === sessionId;
      await endCrashed(parts, isOfSession, isOfSession);
      assertNotOpen(sessionId, scope.env);
    }
    const ledger = await openLedger(parts, chosen);
    const servers = await openRunServers(parts, chosen);
    const conversation = new Conversation({
      ...parts,
      sessionId,
      action,
      forkOf,
      firstMessage: action === 'fresh' ? markOrigin(scope.agentId, request.task) : request.task,
      servers,
      ledger,
    });
    const end = await conversation
      .run()
      .catch(async (error: unknown) => {
        await ledger.finish('error');
        throw error;
      })
      .finally(() => servers.close());
    if (end.isUnknown) return end;
    const isLost = locks.lost !== undefined && end.result === 'aborted';
    const actual = isLost ? { result: 'error' as const, text: end.text, failure: locks.lost } : end;
    await ledger.finish(actual.result);
    return describeOutcome(actual, parts.followUps, ledger.hasBegun ? sessionId : undefined, ledger);
  } finally {
    await lock.release();
  }
}

/** An abort does not wait for servers that are slow to open; if they open later, they are closed. */
function openRunServers(parts: RunParts, chosen: ChosenSession): Promise<RunServers> {
  const { sessionId, action, sessions } = chosen;
  const { agentId, stateDir, repo, env } = parts.scope;
  const opening = openServers(parts.request, {
    context: { sessionId, action, agentId, stateDir, repoPath: repo.path, sessions },
    env,
    warn: parts.warn,
  });
  return unlessAborted(parts.signal, () => opening).catch((error: unknown) => {
    void opening.then((servers) => servers.close()).catch(() => {});
    throw error;
  });
}

function openLedger(parts: RunParts, chosen: ChosenSession): Promise<SessionLedger> {
  const { action, sessionId, forkOf, replaces } = chosen;
  const { stateDir, agentId, repo, label, env } = parts.scope;
  const { task, maxBudgetUsd } = parts.request;
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
    warn: parts.warn,
  });
}

/** Ends processes that crashed runs left, and records the end of those runs. */
async function endCrashed(
  { scope, signal, emit, warn }: RunParts,
  isMeant: (note: RunNote) => boolean,
  isEntryMeant: (session: RegisteredSession) => boolean,
): Promise<void> {
  const { stateDir, env } = scope;
  const onError = (error: Error) => warn(error.message);
  const onFound = ({ sessionId }: RunNote, { pid }: ProcessIdentity) =>
    emit({ type: 'leftover', sessionId, pid });
  await endLeftovers({ env, isMeant, onFound, signal });
  const sessions = readAllRegistries(stateDir, onError).filter(isEntryMeant);
  await closeCrashed(sessions, { stateDir, env }).catch(onError);
}

/** Aborts the run when it loses a lock: to go on would be two runs at once. */
class WatchedLocks {
  readonly #parts: Pick<RunParts, 'abort' | 'warn'>;
  #lost: string | undefined;

  constructor(parts: Pick<RunParts, 'abort' | 'warn'>) {
    this.#parts = parts;
  }

  /** Why the run cannot go on, if it lost a lock. */
  get lost(): string | undefined {
    return this.#lost;
  }

  watch({ signal }: { readonly signal: AbortSignal }): void {
    const onLost = () => {
      this.#lost ??= (signal.reason as Error).message;
      this.#parts.warn(this.#lost);
      this.#parts.abort();
    };
    signal.addEventListener('abort', onLost, { once: true });
  }
}

export function describeOutcome(
  end: Pick<RunOutcome, 'result' | 'text' | 'ending' | 'failure'>,
  followUps: FollowUps,
  sessionId?: string,
  ledger?: SessionLedger,
): RunOutcome {
  const { result, text, failure, ending } = end;
  return {
    sessionId,
    result,
    text,
    failure,
    ending,
    turns: ledger?.turns ?? 0,
    costUsd: ledger?.costUsd ?? 0,
    totalCostUsd: ledger?.totalCostUsd ?? 0,
    maxBudgetUsd: ledger?.maxBudgetUsd,
    unsent: followUps.list(),
  };
}
