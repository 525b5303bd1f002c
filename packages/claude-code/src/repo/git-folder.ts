import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Where git is for a folder: read from its files, so that it needs no git and waits for none. */
export interface GitPlace {
  /** The top of the work tree; undefined inside a bare repository. */
  readonly top: string | undefined;
  /** The folder that all worktrees share. */
  readonly commonDir: string;
}

/** Undefined outside git. */
export function findGit(folder: string): GitPlace | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const gitDir = readGitDir(join(at, '.git'));
    if (gitDir !== undefined) return { top: at, commonDir: readCommonDir(gitDir) };
    if (isGitDir(at)) return { top: undefined, commonDir: readCommonDir(at) };
    if (dirname(at) === at) return undefined;
  }
}

/** The work trees of a repository, the main one first. Those that were removed without telling git are among them. */
export function listWorktrees(git: GitPlace): string[] {
  const { commonDir } = git;
  const main = findMainTree(git) ?? [];
  const linked = readNames(join(commonDir, 'worktrees')).flatMap((name) => {
    const folder = join(commonDir, 'worktrees', name);
    const file = readText(join(folder, 'gitdir'));
    return file === undefined ? [] : [dirname(resolve(folder, file))];
  });
  return [main, linked].flat();
}

/** The work tree that the others hang from; undefined where there is none, or nothing says where it is. */
export function findMainTree({ commonDir }: GitPlace): string | undefined {
  const config = readText(join(commonDir, 'config')) ?? '';
  const core = /^\[core\]\s*$([^[]*)/im.exec(config)?.[1] ?? '';
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/im.exec(core)?.[1];
  if (named !== undefined) return resolve(commonDir, named.replace(/^"(.*)"$/, '$1'));
  return basename(commonDir) === '.git' ? dirname(commonDir) : undefined;
}

/** The git folder that a `.git` is, or that it names. */
function readGitDir(path: string): string | undefined {
  if (isGitDir(path)) return path;
  const named = /^gitdir: (.+)$/s.exec(readText(path) ?? '')?.[1];
  if (named === undefined) return undefined;
  const gitDir = resolve(dirname(path), named);
  return isGitDir(gitDir) ? gitDir : undefined;
}

function readCommonDir(gitDir: string): string {
  const named = readText(join(gitDir, 'commondir'));
  return named === undefined ? gitDir : resolve(gitDir, named);
}

/** A linked worktree has its own HEAD, and the rest in the common folder. */
function isGitDir(path: string): boolean {
  const has = (name: string) => statSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
  try {
    return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
  } catch {
    return false;
  }
}

/** What a file holds, without its last line end. What is no file is not opened: a pipe would be waited for. */
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
