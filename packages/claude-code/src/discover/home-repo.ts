import type { JsonlHeader } from '../scan/jsonl-header.ts';

/**
 * The repository in which most of a session happened: the one whose folders the most lines name. Of several with as many
 * lines, the one that it was in first. Undefined where no line names a folder.
 */
export function findHomeRepo(
  { cwds, cwdLines }: Pick<JsonlHeader, 'cwds' | 'cwdLines'>,
  repoOf: (cwd: string) => string,
): string | undefined {
  const lines = new Map<string, number>();
  cwds.forEach((cwd, index) => {
    const repo = repoOf(cwd);
    lines.set(repo, (lines.get(repo) ?? 0) + cwdLines[index]!);
  });
  let home: string | undefined;
  for (const [repo, count] of lines) {
    if (home === undefined || count > lines.get(home)!) home = repo;
  }
  return home;
}
