import { placeCommands } from './place-commands.ts';
import type { ProjectStatus } from './project-status.ts';
import { readBranch } from './read-git.ts';

/** As much of a status as tells the branch. */
export interface ProjectBranch {
  readonly repo: Pick<ProjectStatus['repo'], 'path'>;
  readonly git: Pick<ProjectStatus['git'], 'currentBranch'>;
}

/**
 * Asks git for the branch and for nothing else. Empty where git does not tell.
 * @throws OpenBotError REPO_NOT_FOUND where there is no such folder
 */
export async function readProjectBranch(
  repoPath: string,
  options: { readonly env?: NodeJS.ProcessEnv; readonly gitTimeoutMs?: number } = {},
): Promise<ProjectBranch> {
  const place = placeCommands(repoPath, options);
  const branch = await readBranch(place);
  return { repo: { path: place.cwd }, git: { currentBranch: 'value' in branch ? branch.value : '' } };
}
