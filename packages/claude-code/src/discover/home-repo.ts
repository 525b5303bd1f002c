import { maySlugBeBelow } from '@openbot/sessions/layout';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { nameRepos } from '../repo/name-repos.ts';
import { isInRepo, isRepoKey, listRepoRoots, type Repo } from '../repo/resolve-repo.ts';
import type { JsonlHeader } from '../scan/jsonl-header.ts';

/** How folders and repositories go together, by one name for each repository. */
export interface RepoMap {
  repoOf(folder: string): string;
  /** Whether who asks about the repository that `cwd` is in looks into the folder of Claude Code's of that name. */
  looksInto(cwd: string, slug: string): boolean;
}

/**
 * The repository of a session: the one in which most of it happened, by the lines that name its folders; of several with as
 * many lines, the one that it was in first. One that does not look where the file is has it only where none does: each
 * session is in the list of some repository. Undefined where no line names a folder.
 * @param slug the name of the folder of Claude Code's that the file is in
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
