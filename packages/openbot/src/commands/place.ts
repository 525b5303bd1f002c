import type { DiscoverOptions, discoverSessions } from '@openbot/claude-code';
import { resolveAgentId, resolveStateDir, resolveUserPath } from '@openbot/sessions';
import { UsageError } from '../errors.ts';
import { type CommandInput, readText } from './command.ts';
import { reportProgress } from './progress.ts';

/** Which repository, state folder and agent a command is about. */
export interface Place {
  readonly repoPath: string;
  readonly stateDir: string;
  readonly agentId: string;
}

export function readPlace(input: CommandInput): Place {
  const { env, cwd } = input;
  const repo = readText(input, 'repo');
  return {
    repoPath: repo === undefined ? cwd : resolveUserPath(repo, env),
    stateDir: resolveStateDir({ flag: readText(input, 'state-dir'), env }),
    agentId: resolveAgentId({ flag: readText(input, 'agent'), env }),
  };
}

/** A first look at many transcripts takes a while, and says so. */
export async function discoverWithProgress(
  input: CommandInput,
  discover: (options: DiscoverOptions) => ReturnType<typeof discoverSessions>,
): ReturnType<typeof discoverSessions> {
  const progress = reportProgress(input.terminal);
  try {
    return await discover({
      stateDir: readPlace(input).stateDir,
      env: input.env,
      onProgress: progress.tell,
      onProblem: (error, sessionId) => {
        input.terminal.writeError(`Left out session ${sessionId}: ${error.message}\n`);
      },
    });
  } finally {
    progress.end();
  }
}

export function readCount(input: CommandInput, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a whole number from 1 on, not '${text}'`, `Example: --${name} 20`);
}
