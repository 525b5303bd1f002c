import { OpenBotError } from '@openbot/sessions';
import { isHolderAlive } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { readOwnMark } from '../processes/marked-processes.ts';
import { type RunNote, readRunNotes } from '../processes/run-note.ts';
import { findRepoKey } from '../repo/resolve-repo.ts';

/**
 * A run that waits for a run that it is a part of, directly or through other runs, would wait for itself.
 * @throws OpenBotError REPO_BUSY
 */
export function refuseNestedRun(repoPath: string, env: Environment): void {
  const mark = readOwnMark(env);
  if (mark === undefined) return;
  const repoKey = findRepoKey(repoPath);
  const outer = listOuterRuns(mark, readRunNotes(env)).find((note) => note.repoKey === repoKey);
  if (outer === undefined) return;
  throw new OpenBotError(
    'REPO_BUSY',
    `This run was started from within a run in ${repoPath} (session ${outer.sessionId}) and would wait for its end`,
    { hint: 'Do the work in that session, or leave it to a subagent of it.' },
  );
}

/** From the innermost outwards, up to the first whose process has ended. */
function listOuterRuns(mark: string, notes: readonly RunNote[]): RunNote[] {
  const byMark = new Map(notes.map((note) => [note.mark, note]));
  const outer: RunNote[] = [];
  for (let at = byMark.get(mark); at !== undefined; at = byMark.get(at.insideOf ?? '')) {
    if (isHolderAlive(at.runner) === 'dead') break;
    outer.push(at);
    byMark.delete(at.mark);
  }
  return outer;
}
