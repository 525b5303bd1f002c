import {
  declareCompletion,
  type Program,
  readPackageVersion,
  runProgram,
  type Surroundings,
} from '@openbot/sessions/command-line';
import { COMMANDS } from './command-table.ts';
import { explainInstall } from './install-hint.ts';

export const OPENBOT: Program = {
  name: 'openbot',
  version: () => `openbot ${readPackageVersion(import.meta.url)}`,
  commands: [...COMMANDS, declareCompletion('openbot', () => OPENBOT)],
  commonFlags: {},
  help: {
    about: 'openbot: the session layer for persistent-identity agents',
    usage: 'openbot <command> [flags]',
    examples: [
      ['openbot cc list', 'the Claude Code sessions of this repository'],
      ['openbot cc run "fix the login test"', 'goes on in the session that fits'],
    ],
  },
  advise(code, hint) {
    const [, missing] = /^npm install (\S+)$/.exec(hint ?? '') ?? [];
    return missing === undefined ? HINTS[code] : explainInstall(missing);
  },
};

/** The hints of the library are for callers in code; these name flags. */
const HINTS: Readonly<Record<string, string>> = {
  BUDGET_SPENT: 'Give it a larger budget with --budget <usd>, or start a fresh session with --fresh.',
  SESSION_BUSY: 'Wait for the end of that run, or start a fresh session with --fresh.',
  CLAUDE_NOT_STARTED:
    'Check the path that --claude names, or the installation of @anthropic-ai/claude-agent-sdk.',
};

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  return runProgram(OPENBOT, argv, surroundings);
}
