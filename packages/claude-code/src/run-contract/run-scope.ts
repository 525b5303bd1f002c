import {
  normalizeAgentId,
  OpenBotError,
  parseSessionLabel,
  redactSecrets,
  resolveStateDir,
} from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type Repo, resolveRepo } from '../repo/resolve-repo.ts';
import type { RunRequest } from './run-request.ts';

/** The agent and repository of a run, with its environment. */
export interface RunScope {
  readonly repo: Repo;
  readonly agentId: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly label: string | undefined;
}

/** Set by an outer Claude Code, and wrong for the one that is started. */
const OF_ANOTHER_SESSION = [
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_PROJECT_DIR',
];

/** The environment without what a Claude Code that this process runs in has put there. */
export function leaveOuterSession(env: Environment): Record<string, string | undefined> {
  const left = { ...env };
  for (const name of OF_ANOTHER_SESSION) delete left[name];
  return left;
}

/** @throws OpenBotError INVALID_ARGUMENT; OpenBotError REPO_NOT_FOUND */
export function resolveRunScope(request: RunRequest): RunScope {
  const env = leaveOuterSession(request.env ?? process.env);
  if (request.task.trim() === '') throw invalid('the task is empty');
  const { maxBudgetUsd: budget } = request;
  if (budget !== undefined && !(Number.isFinite(budget) && budget > 0)) {
    throw invalid(`maxBudgetUsd is ${budget}, not an amount above 0`);
  }
  const { maxTurns } = request;
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns > 0)) {
    throw invalid(`maxTurns is ${maxTurns}, not a whole number above 0`);
  }
  for (const name of ['idleMs', 'permissionTimeoutMs'] as const) {
    const value = request[name];
    if (value !== undefined && !(value >= 0))
      throw invalid(`${name} is ${value}, not a number of milliseconds`);
  }
  return {
    repo: resolveRepo(request.repoPath),
    agentId: normalizeAgentId(request.agentId),
    stateDir: resolveStateDir({ flag: request.stateDir, env: request.env ?? process.env }),
    env,
    label: readLabel(request.label),
  };
}

function readLabel(text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const parsed = parseSessionLabel(text);
  // It is stored and shown: two labels that differ only in a secret are the same.
  if (parsed.ok) return redactSecrets(parsed.label);
  throw invalid(parsed.error);
}

function invalid(message: string): OpenBotError {
  return new OpenBotError('INVALID_ARGUMENT', message);
}
