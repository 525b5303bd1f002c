import { execFileSync } from 'node:child_process';

/** Runs git as nobody in particular, with no configuration but its own. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  });
}

export function makeRepo(folder: string): void {
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message=first');
}
