import type { RegisteredSession } from '../registry/registered-session.ts';
import { findRepoKey } from '../repo/resolve-repo.ts';
import { hideSecrets } from '../scan/hide-secrets.ts';

/** Who is to be named by a label. */
export interface LabelClaim {
  readonly sessionId: string;
  readonly repoPath: string;
  readonly label: string | undefined;
  /** It goes without saying that this one loses the label. */
  readonly replaces?: string;
}

/**
 * A label names one session of a repository: whoever had it before loses it.
 * @returns what changes for the sessions that are known, in a sentence each
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
  const place = findRepoKey(repoPath);
  for (const [id, entry] of sessions) {
    if (id === sessionId || entry.label === undefined || repoOf(entry) !== place) continue;
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

/** As it was when the session was used: of a worktree that was removed nothing tells it any more. */
function repoOf({ repoKey, repoPath }: RegisteredSession): string {
  return repoKey ?? findRepoKey(repoPath);
}
