import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** No sample hooks in a new repository, and no look after each commit whether something is to be tidied. */
export const LEAN = {
  GIT_TEMPLATE_DIR: '',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
};

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
      ...LEAN,
    },
  });
}

/** Of this process, by what makes them. */
const models = new Map<string, string>();

/** Makes a repository as `make` does, the first of its name by git and the others as copies, which start no process. */
export function makeRepoOnce(name: string, folder: string, make: (folder: string) => void): void {
  let model = models.get(name);
  if (model === undefined) {
    // Beside the temp folders of tests: it outlives them, and goes with the run.
    model = mkdtempSync(join(inject('temp'), 'repo-'));
    make(model);
    models.set(name, model);
  }
  cpSync(model, folder, { recursive: true, preserveTimestamps: true });
}

export function makeRepo(folder: string): void {
  makeRepoOnce('first', folder, (model) => {
    git(model, 'init', '--quiet', '--initial-branch=main');
    git(model, 'commit', '--quiet', '--allow-empty', '--message=first');
  });
}
