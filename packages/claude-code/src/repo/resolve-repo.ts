import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { findRealPath, maySlugBeBelow } from '@openbot/sessions/layout';
import { findGit, type GitLocation, listWorktrees } from './git-folder.ts';
import { isWithin } from './real-path.ts';

export interface Repo {
  /** The top of the work tree with links resolved; outside git the folder itself. */
  readonly path: string;
  /** Folders whose sessions belong to the repository: its top and those of its other worktrees, links resolved. */
  readonly roots: readonly string[];
  /** The same folders under the names that were given, which can give project folders other names. */
  readonly spellings: readonly string[];
  /** The git folder that its worktrees share, links resolved; undefined outside git. */
  readonly commonDir?: string;
}

/** @throws OpenBotError REPO_NOT_FOUND if the folder does not exist */
export function resolveRepo(repoPath: string): Repo {
  const given = resolve(repoPath);
  const real = resolveFolder(given);
  const git = findGit(real);
  const spellings = listRoots(real, git);
  return {
    path: git?.top ?? real,
    roots: [...new Set(spellings.map(findRealPath))],
    spellings: [...spellings, given],
    ...(git === undefined ? {} : { commonDir: findRealPath(git.commonDir) }),
  };
}

/** Folders whose sessions belong to the repository of a folder, which may be gone, also as git spells them. */
export function listRepoRoots(folder: string): string[] {
  const real = findRealPath(folder);
  return listRoots(real, findGit(real));
}

function listRoots(real: string, git: GitLocation | undefined): string[] {
  const worktrees = git === undefined ? [] : listWorktrees(git);
  return [...new Set([git?.top ?? real, ...worktrees.map(findRealPath), ...worktrees])];
}

/**
 * Identifies a repository by its common git folder, the same for all worktrees; outside git by the folder itself. The
 * folder may be gone.
 */
export function findRepoKey(folder: string): string {
  const real = findRealPath(folder);
  const git = findGit(real);
  return git === undefined ? real : findRealPath(git.commonDir);
}

/** Whether it is the key of a git repository that still exists. */
export function isRepoKey(path: string): boolean {
  const git = findGit(path);
  return git !== undefined && findRealPath(git.commonDir) === path;
}

/**
 * Whether the nearest git above `cwd` is that of the repository: a repository inside another is one of its own. A
 * worktree that was removed has no git any more and is recognised by its path.
 */
export function isInRepo(repo: Repo, cwd: string): boolean {
  const real = findRealPath(cwd);
  const git = findGit(real);
  if (git !== undefined && findRealPath(git.commonDir) === repo.commonDir) return true;
  const nearest = git?.top ?? git?.commonDir;
  return repo.roots.some(
    (root) =>
      isWithin(root, real) && (nearest === undefined || (nearest !== root && isWithin(nearest, root))),
  );
}

/** Whether a project folder can contain sessions of the repository. */
export function mayHoldSessions(repo: Repo, slug: string): boolean {
  return repo.spellings.some((root) => maySlugBeBelow(slug, root));
}

function resolveFolder(path: string): string {
  let isFolder: boolean;
  let real: string;
  try {
    real = realpathSync.native(path);
    isFolder = statSync(real).isDirectory();
  } catch (cause) {
    throw new OpenBotError('REPO_NOT_FOUND', `${path} does not exist or cannot be reached`, {
      hint: 'Check the path of the repository.',
      cause,
    });
  }
  if (isFolder) return real;
  throw new OpenBotError('REPO_NOT_FOUND', `${path} is not a folder`, {
    hint: 'Name the folder of the repository.',
  });
}
