import type { Command } from './run-command.ts';

/** Where and how the commands of one status run. */
export interface CommandPlace {
  readonly cwd: string;
  /** Whether there is a git folder, sound or not, here or above. */
  readonly hasGitFolder: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly gitTimeoutMs: number;
  readonly ghTimeoutMs: number;
}

export function gitCommand(place: CommandPlace, args: readonly string[]): Command {
  return {
    program: 'git',
    // A monitor that the repository configures is a program of its own, and may stay behind.
    args: ['--no-pager', '-c', 'core.fsmonitor=false', ...args],
    cwd: place.cwd,
    env: place.env,
    timeoutMs: place.gitTimeoutMs,
  };
}

export function ghCommand(place: CommandPlace, args: readonly string[]): Command {
  return { program: 'gh', args, cwd: place.cwd, env: place.env, timeoutMs: place.ghTimeoutMs };
}
