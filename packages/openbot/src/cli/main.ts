import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  declareCompletion,
  declareVersion,
  type Program,
  readPackageVersion,
  runProgram,
  type Surroundings,
} from '@openbot/sessions/command-line';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { COMMANDS } from './command-table.ts';

export const OPENBOT: Program = {
  name: 'openbot',
  version: () => readPackageVersion(import.meta.url),
  commands: [
    ...COMMANDS,
    declareCompletion('openbot', () => OPENBOT),
    declareVersion('openbot', () => OPENBOT),
  ],
  commonFlags: {},
  help: {
    about:
      'openbot is the session layer for persistent-identity agents. It talks to agents that remember, and lists, chooses and runs the Claude Code sessions of a repository.',
    usage: 'openbot <command> [flags]',
    examples: [
      ['openbot agent -m "hello"', 'talk to the default agent'],
      ['openbot cc list', 'the Claude Code sessions of this repository'],
      ['openbot cc run "fix the login test"', 'continue the session that fits, or start one'],
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
    'Check the path after --claude. Without --claude, install @anthropic-ai/claude-agent-sdk again with its optional dependencies.',
};

/** How to install a package where this one finds it, which is not the folder that a person happens to be in. */
export function explainInstall(name: string, ownFile = fileURLToPath(import.meta.url)): string {
  const [, above] = /^(.*)[/\\]node_modules[/\\]openbot[/\\]/.exec(ownFile) ?? [];
  if (above === undefined) return `npm install ${name}`;
  // npm runs what is not installed from a folder of its own, which it makes for each set of packages.
  if (/[/\\]_npx[/\\]/.test(above)) return `npx --package openbot --package ${name} openbot …`;
  // Only a global installation has no manifest above it.
  return existsSync(join(above, 'package.json'))
    ? `npm install --prefix ${quoteForShell(above)} ${name}`
    : `npm install --global ${name}`;
}

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  return runProgram(OPENBOT, argv, surroundings);
}
