import { normalizeAgentId, redactSecrets } from '@openbot/sessions';
import { lastTimeOf } from '../discover/describe-session.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import type { SelectionRequest } from './selection.ts';

/** A session by its label. */
export interface LabelledSession {
  readonly sessionId: string;
  /** Its transcript is, so that nothing can go on in it. */
  readonly isGone: boolean;
  /** A Claude Code has it open, and not that of a run of ours, which ends by itself. */
  readonly isOpen: boolean;
}

/**
 * The agent's session of that label in the repository or one of its worktrees; of several the one used last, and one that
 * is gone only where all are.
 */
export function findLabelled(
  label: string,
  request: Pick<SelectionRequest, 'agentId' | 'repoPath' | 'projectStatus' | 'registry' | 'sessions'>,
): LabelledSession | undefined {
  const places = new Set([request.repoPath, request.projectStatus.repo.path]);
  const found = new Set(request.sessions.map(({ sessionId }) => sessionId));
  const agentId = normalizeAgentId(request.agentId);
  // Older registries hold labels with their secrets.
  const wanted = redactSecrets(label);
  const fitting = (request.registry ?? []).filter(
    (entry) =>
      entry.label !== undefined &&
      redactSecrets(entry.label.trim()) === wanted &&
      normalizeAgentId(entry.agentId) === agentId &&
      (places.has(entry.repoPath) || found.has(entry.sessionId)),
  );
  const gone = new Set(
    request.sessions.flatMap(({ sessionId, hasTranscript }) => (hasTranscript ? [] : [sessionId])),
  );
  const latest = findLatest(fitting.filter(({ sessionId }) => !gone.has(sessionId))) ?? findLatest(fitting);
  if (latest === undefined) return undefined;
  const { sessionId } = latest;
  const isOpen = request.sessions.some((one) => one.sessionId === sessionId && one.isOpen && !one.isRunning);
  return { sessionId, isGone: gone.has(sessionId), isOpen };
}

function findLatest(entries: readonly RegisteredSession[]): RegisteredSession | undefined {
  return entries.reduce<RegisteredSession | undefined>(
    (latest, entry) => (latest === undefined || lastTimeOf(entry) > lastTimeOf(latest) ? entry : latest),
    undefined,
  );
}
