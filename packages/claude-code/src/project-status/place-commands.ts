import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveRepo } from '../repo/resolve-repo.ts';
import { makeCommandEnvironment } from './command-environment.ts';
import type { CommandPlace } from './git-command.ts';

const TIMEOUT_MS = 5000;

/** @throws OpenBotError REPO_NOT_FOUND where there is no such folder */
export function placeCommands(
  repoPath: string,
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly gitTimeoutMs?: number;
    readonly ghTimeoutMs?: number;
  },
): CommandPlace {
  const { path, commonDir } = resolveRepo(repoPath);
  return {
    cwd: path,
    hasGitFolder: commonDir !== undefined || isBelowGitFolder(path),
    env: makeCommandEnvironment(options.env ?? process.env),
    gitTimeoutMs: options.gitTimeoutMs ?? TIMEOUT_MS,
    ghTimeoutMs: options.ghTimeoutMs ?? TIMEOUT_MS,
  };
}

/** One that is damaged counts too. */
function isBelowGitFolder(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && isBelowGitFolder(parent);
}
