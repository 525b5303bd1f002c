import { isUtf8 } from 'node:buffer';
import { basename, dirname } from 'node:path';
import { findGit, findMainTree } from '../repo/git-folder.ts';
import { type CommandSettings, gitCommand } from './commands.ts';
import { type CommandOutcome, describeOutcome, runCommand } from './run-command.ts';

export interface RepoLocation {
  /** The top of the work tree; without one, the folder that was asked for. */
  readonly path: string;
  readonly name: string;
  readonly isGitRepo: boolean;
  readonly isBare: boolean;
  readonly hasWorkTree: boolean;
  /** Why it is unknown whether this is a repository. */
  readonly fault?: string;
}

const DAMAGED = 'there is a .git that git does not accept: it is damaged or incomplete';

export async function locateRepo(settings: CommandSettings): Promise<RepoLocation> {
  // One command each: a path may contain line ends, and a question without an answer would fail the others.
  const ask = (...args: string[]) => runCommand(gitCommand(settings, ['rev-parse', ...args]));
  const [kind, top, common] = await Promise.all([
    ask('--is-bare-repository'),
    ask('--show-toplevel'),
    ask('--path-format=absolute', '--git-common-dir'),
  ]);
  const isBare = answerOf(kind) === 'true';
  const path = answerOf(top);
  if (kind.kind !== 'ended' || kind.code !== 0) {
    const isRefused = kind.kind === 'ended' && /not a git repository/.test(kind.errors);
    const fault = describeOutcome({ program: 'git', timeoutMs: settings.gitTimeoutMs }, kind);
    return {
      path: settings.cwd,
      name: basename(settings.cwd),
      isGitRepo: false,
      isBare: false,
      hasWorkTree: false,
      ...(isRefused && !settings.hasGitFolder ? {} : { fault: isRefused ? DAMAGED : fault }),
    };
  }
  return {
    path: path ?? settings.cwd,
    name: isBare ? nameOfBare(settings.cwd) : nameOf(path ?? settings.cwd, answerOf(common)),
    isGitRepo: true,
    isBare,
    hasWorkTree: path !== undefined,
  };
}

/** For a worktree, the name of its repository. */
function nameOf(path: string, commonDir: string | undefined): string {
  if (commonDir !== undefined && basename(commonDir) === '.git') return basename(dirname(commonDir));
  const git = findGit(path);
  if (git === undefined) return basename(path);
  const main = findMainTree(git);
  return main === undefined ? nameOfBare(git.commonDir) : basename(main);
}

function nameOfBare(path: string): string {
  return basename(path).replace(/(?<=.)\.git$/, '');
}

function answerOf(outcome: CommandOutcome): string | undefined {
  if (outcome.kind !== 'ended' || outcome.code !== 0 || !isUtf8(outcome.output)) return undefined;
  return outcome.output.toString('utf8').replace(/\n$/, '');
}
