import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveRepo } from '../repo/resolve-repo.ts';
import type { Command } from './run-command.ts';

const TIMEOUT_MS = 5000;

/** @throws OpenBotError REPO_NOT_FOUND if the folder does not exist */
export function resolveCommandSettings(
  repoPath: string,
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly gitTimeoutMs?: number;
    readonly ghTimeoutMs?: number;
  },
): CommandSettings {
  const { path, commonDir } = resolveRepo(repoPath);
  return {
    cwd: path,
    hasGitFolder: commonDir !== undefined || isBelowGitFolder(path),
    env: makeCommandEnvironment(options.env ?? process.env),
    gitTimeoutMs: options.gitTimeoutMs ?? TIMEOUT_MS,
    ghTimeoutMs: options.ghTimeoutMs ?? TIMEOUT_MS,
  };
}

/** Also true for a damaged git folder. */
function isBelowGitFolder(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && isBelowGitFolder(parent);
}

/** Variables that point git at another repository than the one in the folder. */
const NAMES_OF_ANOTHER_REPO = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_IMPLICIT_WORK_TREE',
  'GH_REPO',
];

/** Variables that add colours or traces to the output. */
const NAMES_OF_DECORATION = [
  'CLICOLOR_FORCE',
  'FORCE_COLOR',
  'GH_FORCE_TTY',
  'GH_DEBUG',
  'DEBUG',
  'GIT_CURL_VERBOSE',
];
const NAMES_OF_TRACES = /^GIT_TRACE/;

/** The environment of git and gh: no prompts, locks, pagers, colours or translations. */
function makeCommandEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const dropped = new Set([...NAMES_OF_ANOTHER_REPO, ...NAMES_OF_DECORATION]);
  const kept = Object.entries(base).filter(([name]) => !dropped.has(name) && !NAMES_OF_TRACES.test(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    PAGER: 'cat',
    NO_COLOR: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // A list must not fetch objects of a partial clone.
    GIT_NO_LAZY_FETCH: '1',
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_NO_EXTENSION_UPDATE_NOTIFIER: '1',
    GH_SPINNER_DISABLED: '1',
    GH_PAGER: 'cat',
  };
}

/** The folder, environment and time limits of the commands of one status. */
export interface CommandSettings {
  readonly cwd: string;
  /** Whether this folder or one above it has a git folder, valid or not. */
  readonly hasGitFolder: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly gitTimeoutMs: number;
  readonly ghTimeoutMs: number;
}

export function gitCommand(settings: CommandSettings, args: readonly string[]): Command {
  return {
    program: 'git',
    // A file system monitor of the repository is a process of its own, which can stay behind.
    args: ['--no-pager', '-c', 'core.fsmonitor=false', ...args],
    cwd: settings.cwd,
    env: settings.env,
    timeoutMs: settings.gitTimeoutMs,
  };
}

export function ghCommand(settings: CommandSettings, args: readonly string[]): Command {
  return { program: 'gh', args, cwd: settings.cwd, env: settings.env, timeoutMs: settings.ghTimeoutMs };
}
