import { findRealPath } from '@openbot/sessions/layout';
import { findGit, findMainTree, type GitLocation, listWorktrees } from './git-folder.ts';
import { isWithin } from './real-path.ts';

interface LocatedFolder {
  readonly folder: string;
  readonly real: string;
  readonly git?: GitLocation;
  /** Its repository, by the git folder that all worktrees share. */
  readonly key: string;
}

/**
 * One path for the repository of each folder, even if the folder is gone: that of the main work tree; if neither git's
 * files nor these folders name it, that of the git folder; outside git, that of the folder itself.
 */
export function nameRepos(folders: Iterable<string>): Map<string, string> {
  const located = Array.from(new Set(folders), locateFolder);
  const paths = new Map<string, string>();
  const roots = new Map<string, string>();
  const listed = new Set<string>();
  for (const { git, key } of located) {
    if (git === undefined) continue;
    const main = findMainTree(git);
    if (main !== undefined) paths.set(key, findRealPath(main));
    if (listed.has(key)) continue;
    listed.add(key);
    for (const tree of listWorktrees(git)) roots.set(findRealPath(tree), key);
  }
  return new Map(
    located.map((one) => {
      const key = findRemovedTree(one, roots) ?? one.key;
      return [one.folder, paths.get(key) ?? key];
    }),
  );
}

function locateFolder(folder: string): LocatedFolder {
  const real = findRealPath(folder);
  const git = findGit(real);
  return git === undefined
    ? { folder, real, key: real }
    : { folder, real, git, key: findRealPath(git.commonDir) };
}

/**
 * The repository of a worktree that was deleted but is still registered in git: the repository above its path is
 * another one.
 */
function findRemovedTree(
  { real, git }: LocatedFolder,
  roots: ReadonlyMap<string, string>,
): string | undefined {
  const nearest = git?.top ?? git?.commonDir;
  for (const [root, key] of roots) {
    if (!isWithin(root, real)) continue;
    if (nearest === undefined || (nearest !== root && isWithin(nearest, root))) return key;
  }
  return undefined;
}
