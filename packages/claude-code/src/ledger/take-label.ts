import type { RegisteredSession } from '../registry/registered-session.ts';
import { findRepoKey } from '../repo/resolve-repo.ts';
import { hideSecrets } from '../scan/hide-secrets.ts';

/** The session that gets a label. */
interface LabelClaim {
  readonly sessionId: string;
  readonly repoPath: string;
  readonly label: string | undefined;
  /** This session loses the label without a message. */
  readonly replaces?: string;
}

/**
 * Gives a label to a session: a label names one session of a repository, and the previous one loses it.
 * @returns one sentence for each session that changes
 */
export function takeLabel(
  { sessionId, repoPath, label, replaces }: LabelClaim,
  sessions: Map<string, RegisteredSession>,
): string[] {
  if (label === undefined) return [];
  const changes: string[] = [];
  const before = sessions.get(sessionId)?.label;
  if (before !== undefined && show(before) !== show(label)) {
    changes.push(`Session ${sessionId} was labelled "${show(before)}" and is now labelled "${show(label)}"`);
  }
  const repoKey = findRepoKey(repoPath);
  for (const [id, entry] of sessions) {
    if (id === sessionId || entry.label === undefined || repoOf(entry) !== repoKey) continue;
    if (show(entry.label) !== show(label)) continue;
    const { label: _, ...rest } = entry;
    sessions.set(id, rest);
    if (id !== replaces)
      changes.push(`The label "${show(label)}" named session ${id} and now names this one`);
  }
  return changes;
}

function show(label: string): string {
  return hideSecrets(label, 200);
}

/** As recorded when the session was used: it cannot be found for a worktree that was removed. */
function repoOf({ repoKey, repoPath }: RegisteredSession): string {
  return repoKey ?? findRepoKey(repoPath);
}
