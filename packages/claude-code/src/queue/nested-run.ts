import { OpenBotError } from '@openbot/sessions';
import { isHolderAlive } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { findRepoKey } from '../repo/resolve-repo.ts';
import { isMark, MARK_VARIABLE } from '../processes/marked-processes.ts';
import { type RunNote, readRunNotes } from '../processes/run-note.ts';
import type { RunPlace } from '../run-contract/run-scope.ts';

/** The mark of the run that this process is a part of, be it by the environment of its own or that of the new run. */
export function readOuterMark(env: Environment): string | undefined {
  return [env[MARK_VARIABLE], process.env[MARK_VARIABLE]].find(isMark);
}

/**
 * A run that waits for one that it is a part of, over however many others between, waits for itself.
 * @throws OpenBotError REPO_BUSY
 */
export function refuseWithinItself({ repo, env }: RunPlace): void {
  const mark = readOuterMark(env);
  if (mark === undefined) return;
  const repoKey = findRepoKey(repo.path);
  const outer = listOuterRuns(mark, readRunNotes(env)).find((note) => note.repoKey === repoKey);
  if (outer === undefined) return;
  throw new OpenBotError(
    'REPO_BUSY',
    `This run was started from within a run in ${repo.path} (session ${outer.sessionId}) and would wait for its end`,
    { hint: 'Do the work in that session, or leave it to a subagent of it.' },
  );
}

/** From the inside out, as far as they are at work. */
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
