import { type DiscoverOptions, type discoverSessions, printable } from '@openbot/claude-code';
import { resolveAgentId, resolveStateDir, resolveUserPath } from '@openbot/sessions';
import { UsageError } from '../errors.ts';
import { type CommandInput, readText } from './command.ts';
import { reportProgress } from './progress.ts';

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
  return {
    stateDir: resolveStateDir({ flag: readText(input, 'state-dir'), env }),
    agentId: resolveAgentId({ flag: readText(input, 'agent'), env }),
  };
}

/** Default: the working folder. */
export function readRepoPath(input: CommandInput): string {
  const repo = readText(input, 'repo');
  if (repo === undefined) return input.cwd;
  if (repo.trim() !== '') return resolveUserPath(repo, input.env);
  throw new UsageError(
    '--repo names no folder',
    'Leave it out for the current folder, or name one: --repo ~/project',
  );
}

/** A first look at many transcripts takes a while, and says so. */
export async function discoverWithProgress(
  input: CommandInput,
  discover: (options: DiscoverOptions) => ReturnType<typeof discoverSessions>,
): ReturnType<typeof discoverSessions> {
  const progress = reportProgress(input.terminal);
  try {
    return await discover({
      ...readState(input),
      env: input.env,
      onProgress: progress.tell,
      onProblem: (error, sessionId) => {
        const what = sessionId === undefined ? '' : `Left out session ${sessionId}: `;
        warn(input, `${what}${error.message}`);
      },
    });
  } finally {
    progress.end();
  }
}

/** On stderr, where with `--json` everything is JSON. */
function warn({ flags, terminal }: CommandInput, message: string): void {
  const text = flags.json ? JSON.stringify({ warning: { message } }) : `Warning: ${printable(message)}`;
  terminal.writeError(`${text}\n`);
}

/** An amount in US dollars. */
export function readBudget(input: CommandInput): number | undefined {
  const text = readText(input, 'budget');
  if (text === undefined) return undefined;
  const amount = text.trim() === '' ? Number.NaN : Number(text.replace(/^\$/, ''));
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new UsageError(`--budget takes an amount in US dollars, not '${text}'`, 'Example: --budget 2.50');
}

/** A number from 0 to 1. */
export function readFraction(input: CommandInput, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`--${name} takes a number from 0 to 1, not '${text}'`, `Example: --${name} 0.7`);
}

export function readCount(input: CommandInput, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a whole number from 1 on, not '${text}'`, `Example: --${name} 20`);
}
