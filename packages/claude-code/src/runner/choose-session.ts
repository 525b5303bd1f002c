import { randomUUID } from 'node:crypto';
import { type DiscoverOptions, discoverSessions } from '../discover/discover-sessions.ts';
import { gatherProjectStatus } from '../project-status/gather-project-status.ts';
import type { ProjectStatus } from '../project-status/project-status.ts';
import { readRegistry } from '../registry/registry-file.ts';
import { selectSession } from '../select/select-session.ts';
import type { SessionSelection } from '../select/selection.ts';
import type { RunPlace } from './run-place.ts';
import type { RunRequest } from './run-request.ts';

export interface ChosenSession {
  readonly action: 'resume' | 'fresh';
  readonly sessionId: string;
  /** Where the session was selected here. */
  readonly projectStatus?: ProjectStatus;
}

/** Which session the run goes on in. The repository is this run's own by now: nothing else of ours is at work in it. */
export async function chooseSession(
  request: RunRequest,
  place: RunPlace,
  onSelected: (selection: SessionSelection) => void,
): Promise<ChosenSession> {
  const { session } = request;
  if (session?.action === 'fresh') return freshSession();
  if (session?.action === 'resume' && session.sessionId !== undefined) {
    return { action: 'resume', sessionId: session.sessionId };
  }
  const { selection, projectStatus } = await select(request, place);
  onSelected(selection);
  return selection.action === 'resume' && selection.sessionId !== undefined
    ? { action: 'resume', sessionId: selection.sessionId, projectStatus }
    : { ...freshSession(), projectStatus };
}

export function freshSession(): ChosenSession {
  return { action: 'fresh', sessionId: randomUUID() };
}

async function select(request: RunRequest, place: RunPlace) {
  const { task, label, maxBudgetUsd, selection: { config, askModel, log } = {} } = request;
  const { agentId, stateDir, env } = place;
  const repoPath = place.repo.path;
  const where: DiscoverOptions = { stateDir, env };
  const found = await discoverSessions(repoPath, where);
  // What is still written down as running has lost its repository to this run: it is over, or its entry is stale.
  const sessions = found.map((session) => ({ ...session, isRunning: false }));
  const projectStatus = await gatherProjectStatus(repoPath, {
    agentId,
    env: { ...env },
    discover: async () => sessions,
  });
  const registry = [...readRegistry(stateDir, agentId).values()];
  const selection = await selectSession({
    task,
    repoPath,
    agentId,
    projectStatus,
    sessions,
    registry,
    label,
    maxBudgetUsd,
    config,
    askModel,
    log,
  });
  return { selection, projectStatus };
}
