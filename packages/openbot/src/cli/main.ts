import {
  type Command,
  declareCompletion,
  declareVersion,
  type HelpTopic,
  type Program,
  readPackageVersion,
  runProgram,
  type Surroundings,
} from '@openbot/sessions/command-line';
import { explainInstall } from '../install-command.ts';
import { COMMANDS } from './command-table.ts';
import type { PAGES } from './help-pages.ts';

export const OPENBOT: Program = {
  name: 'openbot',
  version: () => readPackageVersion(import.meta.url),
  commands: [
    ...COMMANDS,
    declareCompletion('openbot', () => OPENBOT),
    declareVersion('openbot', () => OPENBOT),
    // As OpenClaw and the other groups have it.
    ...COMMANDS.filter(({ name }) => name === 'sessions').map(
      (command): Command => ({ ...command, name: 'sessions list', hidden: true }),
    ),
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
    families: [
      { title: 'Talk:', words: ['agent', 'message', 'outbox'] },
      { title: 'Conversations:', words: ['sessions', 'history', 'search', 'usage', 'clean', 'index'] },
      { title: 'Set up:', words: ['init', 'config', 'agents', 'models', 'channels'] },
      { title: 'Look after it:', words: ['gateway', 'devices', 'pairing', 'status', 'health', 'doctor'] },
      { title: 'Claude Code:', words: ['cc', 'mcp'] },
      { title: 'This command line:', words: ['completion', 'version'] },
    ],
    groups: {
      index: 'The index that search reads',
      gateway: 'The process that runs agents and serves clients',
      devices: 'Devices that may connect to the gateway',
      pairing: 'People who may write to the bot',
      agents: 'Agents of the configuration',
      models: 'Models of the configuration',
      channels: 'Chat networks that the bot is on',
      config: 'Settings in openbot.json',
      cc: 'Coding sessions of a repository',
      clean: 'Take old tool calls out of sessions',
      message: 'Messages on channels',
      outbox: 'Replies that could not be sent',
    },
    closing: ['Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted.'],
  },
  topics: {
    configuration: topic('configuration', 'openbot.json, and what can be set in it'),
    'session-keys': topic('session-keys', 'How conversations are addressed'),
    providers: topic('providers', 'Models and who runs them'),
    gateway: topic('gateway', 'The process in the background, and who reaches it'),
    environment: topic('environment', 'Variables of the environment that openbot reads'),
    'exit-codes': topic('exit-codes', 'How a command ends'),
  },
  exitCodes: { USAGE: 2 },
  advise(code, hint) {
    const [, missing] = /^npm install (\S+(?: \S+)*)$/.exec(hint ?? '') ?? [];
    return missing === undefined ? HINTS[code] : explainInstall(missing);
  },
};

function topic(name: keyof typeof PAGES, summary: string): HelpTopic {
  return { summary, load: async () => (await import('./help-pages.ts')).PAGES[name] };
}

/** The hints of the library are for callers in code; these name flags. */
const HINTS: Readonly<Record<string, string>> = {
  BUDGET_SPENT: 'Give it a larger budget with --budget <usd>, or start a fresh session with --fresh.',
  SESSION_BUSY: 'Wait for the end of that run, or start a fresh session with --fresh.',
  CLAUDE_NOT_STARTED:
    'Check the path after --claude. Without --claude, install @anthropic-ai/claude-agent-sdk again with its optional dependencies.',
};

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  return runProgram(OPENBOT, argv, surroundings);
}
