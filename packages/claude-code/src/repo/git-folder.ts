import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findRealPath } from '@openbot/sessions/layout';

/** Where git is for a folder. Read from git's files: no git is needed. */
export interface GitLocation {
  /** The top of the work tree; undefined inside a bare repository. */
  readonly top: string | undefined;
  /** The folder that all worktrees share. */
  readonly commonDir: string;
  /** Whether it is a linked worktree, of another work tree or of a bare repository. */
  readonly isLinked: boolean;
}

/** Undefined outside git. */
export function findGit(folder: string): GitLocation | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const gitDir = readGitDir(join(at, '.git'));
    if (gitDir !== undefined) return describeGit(at, gitDir);
    if (isGitDir(at)) return describeGit(undefined, at);
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The work trees of a repository, the main one first, including those that were deleted without `git worktree remove`.
 */
export function listWorktrees(git: GitLocation): string[] {
  const { commonDir } = git;
  const main = findMainTree(git) ?? [];
  const linked = readNames(join(commonDir, 'worktrees')).flatMap((name) => {
    const folder = join(commonDir, 'worktrees', name);
    const file = readText(join(folder, 'gitdir'));
    return file === undefined ? [] : [dirname(resolve(folder, file))];
  });
  return [main, linked].flat();
}

/**
 * The main work tree, or the folder around a bare repository. Undefined if there is none, or if no file names it: a
 * separate git folder is named by its work tree and seldom names it.
 */
export function findMainTree({ top, commonDir, isLinked }: GitLocation): string | undefined {
  const config = readText(join(commonDir, 'config')) ?? '';
  const core = /^\[core\]\s*$([^[]*)/im.exec(config)?.[1] ?? '';
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/im.exec(core)?.[1];
  if (named !== undefined) return resolve(commonDir, named.replace(/^"(.*)"$/, '$1'));
  if (!isLinked && top !== undefined) return top;
  const around = dirname(commonDir);
  const gitDir = readGitDir(join(around, '.git'));
  return gitDir !== undefined && findRealPath(gitDir) === findRealPath(commonDir) ? around : undefined;
}

/** The git folder that `.git` is or names. */
function readGitDir(path: string): string | undefined {
  if (isGitDir(path)) return path;
  const named = /^gitdir: (.+)$/s.exec(readText(path) ?? '')?.[1];
  if (named === undefined) return undefined;
  const gitDir = resolve(dirname(path), named);
  return isGitDir(gitDir) ? gitDir : undefined;
}

function describeGit(top: string | undefined, gitDir: string): GitLocation {
  const common = readText(join(gitDir, 'commondir'));
  return {
    top,
    commonDir: common === undefined ? gitDir : resolve(gitDir, common),
    isLinked: common !== undefined,
  };
}

/** A linked worktree has a HEAD of its own, and the rest in the common folder. */
function isGitDir(path: string): boolean {
  const has = (name: string) => statSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
  try {
    return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
  } catch {
    return false;
  }
}

/** The content of a file without its last line end. Only regular files are opened: reading a pipe would block. */
function readText(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
