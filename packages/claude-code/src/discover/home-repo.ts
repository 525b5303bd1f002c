import { maySlugBeBelow } from '@openbot/sessions/layout';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { nameRepos } from '../repo/name-repos.ts';
import { isInRepo, isRepoKey, listRepoRoots, type Repo } from '../repo/resolve-repo.ts';
import type { JsonlHeader } from '../scan/jsonl-header.ts';

/** Maps folders to repositories, with one name for each repository. */
export interface RepoMap {
  repoOf(folder: string): string;
  /** Whether a search for the repository of `cwd` includes the project folder of that name. */
  looksInto(cwd: string, slug: string): boolean;
}

/**
 * The repository in which most of a session happened, by the number of lines that name its folders; of equals, the
 * first one. A repository whose search does not include the project folder gets the session only if no other does: each
 * session is in the list of one repository. Undefined if no line names a folder.
 * @param slug the name of the project folder that contains the file
 */
export function findHomeRepo(
  { cwds, cwdLines }: Pick<JsonlHeader, 'cwds' | 'cwdLines'>,
  slug: string,
  repos: RepoMap,
): string | undefined {
  const lines = new Map<string, number>();
  cwds.forEach((cwd, index) => {
    const repo = repos.repoOf(cwd);
    lines.set(repo, (lines.get(repo) ?? 0) + cwdLines[index]!);
  });
  const looking = new Set(
    lines.size < 2 ? [] : cwds.filter((cwd) => repos.looksInto(cwd, slug)).map((cwd) => repos.repoOf(cwd)),
  );
  let home: string | undefined;
  for (const [repo, count] of lines) {
    if (looking.size > 0 && !looking.has(repo)) continue;
    if (home === undefined || count > lines.get(home)!) home = repo;
  }
  return home;
}

/**
 * Maps folders to repositories, by the path of the main work tree.
 * @param asked the repository that was asked for. It keeps the path that it was asked by; outside git, all folders
 * below it belong to it
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
 * A folder in the repository of a session that an agent runs or ran. After its worktree was removed, the git folder
 * remains; without it, the current content of that path decides.
 */
export function folderOfRegistered({ repoPath, repoKey }: RegisteredSession): string {
  return repoKey !== undefined && isRepoKey(repoKey) ? repoKey : repoPath;
}

function memoize<T>(compute: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (!known.has(path)) known.set(path, compute(path));
    return known.get(path)!;
  };
}
