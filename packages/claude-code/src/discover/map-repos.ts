import type { RegisteredSession } from '../registry/registered-session.ts';
import { nameRepos } from '../repo/name-repos.ts';
import { isInRepo, isRepoKey, listRepoRoots, type Repo } from '../repo/resolve-repo.ts';
import { maySlugBeBelow } from '../repo/slug.ts';
import type { RepoMap } from './home-repo.ts';

/**
 * Maps folders to repositories, by the path of the main work tree.
 * @param asked the repository that is asked about. It goes by the path that it was asked about by; outside git, all folders
 * below it are its own
 */
export function mapRepos(folders: readonly string[], asked?: Repo): RepoMap {
  const names = nameRepos(folders);
  const repoOf = memoize((folder) =>
    asked !== undefined && isInRepo(asked, folder) ? asked.path : names.get(folder)!,
  );
  const rootsOf = memoize((folder) => [...listRepoRoots(folder), ...listRepoRoots(repoOf(folder))]);
  return {
    repoOf,
    looksInto: (cwd, slug) => rootsOf(cwd).some((root) => maySlugBeBelow(slug, root)),
  };
}

/**
 * A folder in the repository of a session that an agent of ours runs or ran. Of a worktree that was removed the git folder is
 * left; without it, what is there now where the work tree was tells.
 */
export function placeOfRegistered({ repoPath, repoKey }: RegisteredSession): string {
  return repoKey !== undefined && isRepoKey(repoKey) ? repoKey : repoPath;
}

function memoize<T>(compute: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (!known.has(path)) known.set(path, compute(path));
    return known.get(path)!;
  };
}
