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
