import { normalizeAgentId, redactSecrets } from '@openbot/sessions';
import { lastTimeOf } from '../discover/describe-session.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import type { SelectionRequest } from './selection.ts';

/** A session by its label. */
interface LabelledSession {
  readonly sessionId: string;
  /** Its transcript is gone, so it cannot be resumed. */
  readonly isGone: boolean;
  /** A Claude Code has it open that is not part of a run: a run ends by itself. */
  readonly isOpen: boolean;
}

/**
 * The agent's session with that label in the repository or one of its worktrees. Of several, the one used last; one
 * without a transcript only if none has one.
 */
export function findLabelled(
  label: string,
  request: Pick<SelectionRequest, 'agentId' | 'repoPath' | 'projectStatus' | 'registry' | 'sessions'>,
): LabelledSession | undefined {
  const repoPaths = new Set([request.repoPath, request.projectStatus.repo.path]);
  const found = new Set(request.sessions.map(({ sessionId }) => sessionId));
  const agentId = normalizeAgentId(request.agentId);
  // Older registries contain labels with their secrets.
  const wanted = redactSecrets(label);
  const fitting = (request.registry ?? []).filter(
    (entry) =>
      entry.label !== undefined &&
      redactSecrets(entry.label.trim()) === wanted &&
      normalizeAgentId(entry.agentId) === agentId &&
      (repoPaths.has(entry.repoPath) || found.has(entry.sessionId)),
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
