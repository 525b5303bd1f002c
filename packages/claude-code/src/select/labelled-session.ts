import { normalizeAgentId } from '@openbot/sessions';
import type { RegisteredSession } from '../registry/registered-session.ts';
import type { SelectionRequest } from './selection-request.ts';

/** The agent's session of that label in the repository or one of its worktrees; of several the one used last. */
export function findLabelled(
  label: string,
  request: Pick<SelectionRequest, 'agentId' | 'repoPath' | 'projectStatus' | 'registry' | 'sessions'>,
): RegisteredSession | undefined {
  const places = new Set([request.repoPath, request.projectStatus.repo.path]);
  const found = new Set(request.sessions.map(({ sessionId }) => sessionId));
  const agentId = normalizeAgentId(request.agentId);
  const fitting = (request.registry ?? []).filter(
    (entry) =>
      entry.label?.trim() === label &&
      normalizeAgentId(entry.agentId) === agentId &&
      (places.has(entry.repoPath) || found.has(entry.sessionId)),
  );
  return fitting.reduce<RegisteredSession | undefined>(
    (latest, entry) => (latest === undefined || timeOf(entry) > timeOf(latest) ? entry : latest),
    undefined,
  );
}

function timeOf({ startedAt, endedAt }: RegisteredSession): number {
  return Date.parse(endedAt ?? startedAt);
}
