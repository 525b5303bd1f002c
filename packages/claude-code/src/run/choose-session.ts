import { randomUUID } from 'node:crypto';
import { OpenBotError } from '@openbot/sessions';
import { discoverSessions } from '../discover/discover-sessions.ts';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { readProjectBranch } from '../project-status/read-git.ts';
import { readRegistry } from '../registry/registry-file.ts';
import { listLockedSessions } from '../registry/session-lock.ts';
import type { RunAction } from '../run-contract/run-event.ts';
import type { RunRequest, SessionChoice } from '../run-contract/run-request.ts';
import type { RunScope } from '../run-contract/run-scope.ts';
import { selectSession } from '../select/select-session.ts';
import type { SessionSelection } from '../select/selection.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface ChosenSession {
  readonly action: RunAction;
  /** The session that the run writes to. */
  readonly sessionId: string;
  /** The session that a fork is made of. */
  readonly forkOf?: string;
  /** The caller named this session: no other may replace it. */
  readonly isNamed: boolean;
  /** The session that a fresh one replaces. */
  readonly replaces?: string;
  /** The sessions that it was selected from, if it was. */
  readonly sessions?: readonly DiscoveredSession[];
}

interface ChoiceContext {
  readonly onSelected: (selection: SessionSelection) => void;
  /** Called for what could not be read. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Chooses the session of a run. The repository is locked by then: no other run works in it.
 * @throws AbortError at once when the signal aborts
 */
export async function chooseSession(
  request: RunRequest,
  scope: RunScope,
  context: ChoiceContext,
): Promise<ChosenSession> {
  const { session } = request;
  if (session?.action === 'fresh') return freshSession(readReplaced(session));
  if (session?.action === 'resume' && session.sessionId !== undefined) {
    return { action: 'resume', sessionId: session.sessionId, isNamed: true };
  }
  if (session?.action === 'fork') {
    return { action: 'fork', sessionId: randomUUID(), forkOf: session.sessionId, isNamed: true };
  }
  const { selection, sessions } = await unlessAborted(context.signal, () => select(request, scope, context));
  context.onSelected(selection);
  const { action, sessionId, openSessionId, replacesSessionId: replaces } = selection;
  // Once it is locked, the run checks again whether it is open. It does not wait for a person to close it.
  if (openSessionId !== undefined) {
    return { action: 'resume', sessionId: openSessionId, sessions, isNamed: true };
  }
  return action === 'resume' && sessionId !== undefined
    ? { action, sessionId, sessions, isNamed: scope.label !== undefined }
    : { ...freshSession(replaces), sessions };
}

function readReplaced(choice: SessionChoice): string | undefined {
  return 'replacesSessionId' in choice ? choice.replacesSessionId : undefined;
}

export function freshSession(replaces?: string): ChosenSession {
  return {
    action: 'fresh',
    sessionId: randomUUID(),
    isNamed: false,
    replaces,
  };
}

async function select(request: RunRequest, scope: RunScope, { signal, warn }: ChoiceContext) {
  const onProblem = (error: Error, sessionId?: string) => {
    // The search for leftovers has warned of registries that cannot be read.
    if (error instanceof OpenBotError && error.code === 'REGISTRY_UNREADABLE') return;
    warn(sessionId === undefined ? error.message : `Left out session ${sessionId}: ${error.message}`);
  };
  const { task, label, maxBudgetUsd, selection: { config, askModel, log } = {} } = request;
  const { agentId, stateDir, env } = scope;
  const repoPath = scope.repo.path;
  const [sessions, projectStatus] = await Promise.all([
    discoverSessions(repoPath, { stateDir, env, signal, onProblem }),
    readProjectBranch(repoPath, { env: { ...env } }),
  ]);
  const locked = listLockedSessions(env);
  const selection = await selectSession({
    task,
    repoPath,
    agentId,
    projectStatus,
    // A locked session cannot be resumed. All others are over, even if their registry says that they run.
    sessions: sessions
      .filter(({ sessionId }) => !locked.has(sessionId))
      .map((session) => ({ ...session, isRunning: false })),
    registry: [...readRegistry(stateDir, agentId).values()],
    label,
    maxBudgetUsd,
    config,
    askModel:
      askModel && ((asked) => askModel({ ...asked, signal: AbortSignal.any([asked.signal, signal]) })),
    log,
  });
  return { selection, sessions };
}
