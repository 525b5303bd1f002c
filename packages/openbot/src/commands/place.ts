import {
  OpenBotError,
  parseSessionLabel,
  redactSecrets,
  resolveAgentId,
  resolveStateDir,
  SESSION_LABEL_MAX_LENGTH,
} from '@openbot/sessions';
import { AGENT_ID_ENV_NAMES, resolveUserPath } from '@openbot/sessions/layout';
import { type CommandInput, readName, readText } from './command.ts';

/** Whose state a command is about, and where it is. */
export interface State {
  readonly stateDir: string;
  readonly agentId: string;
}

export interface Place extends State {
  readonly repoPath: string;
}

export function readPlace(input: CommandInput): Place {
  return { repoPath: readRepoPath(input), ...readState(input) };
}

export function readState(input: CommandInput): State {
  const { env } = input;
  const stateDir = resolveStateDir({ flag: readName(input, 'state-dir', '~/.openbot'), env });
  return { stateDir, agentId: readAgentId(input) };
}

function readAgentId(input: CommandInput): string {
  const { env } = input;
  const flag = readName(input, 'agent', 'main');
  try {
    return resolveAgentId({ flag, env });
  } catch (error) {
    const variable = AGENT_ID_ENV_NAMES.find((name) => env[name]?.trim());
    if (flag !== undefined || variable === undefined) throw error;
    throw new OpenBotError('USAGE', `${variable}: ${(error as Error).message}`, {
      hint: `Correct ${variable}, or unset it`,
    });
  }
}

export function readLabel(input: CommandInput): string | undefined {
  const label = readName(input, 'label', 'release');
  if (label === undefined) return undefined;
  // As it is kept and shown.
  if (parseSessionLabel(label).ok) return redactSecrets(label);
  throw new OpenBotError(
    'USAGE',
    `--label takes at most ${SESSION_LABEL_MAX_LENGTH} characters on one line, without control characters`,
    { hint: 'Example: --label release' },
  );
}

/** Default: the working folder. */
export function readRepoPath(input: CommandInput): string {
  const repo = readText(input, 'repo');
  if (repo === undefined) return input.cwd;
  if (repo.trim() !== '') return resolveUserPath(repo, input.env);
  throw new OpenBotError('USAGE', '--repo names no folder', {
    hint: 'Leave it out for the current folder, or name one: --repo ~/project',
  });
}
