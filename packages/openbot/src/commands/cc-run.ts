import { fileURLToPath } from 'node:url';
import {
  discoverSessions,
  listMcpToolNames,
  MCP_SERVER_NAME,
  mcpServerConfigFor,
  type RunOutcome,
  type RunRequest,
  type SessionChoice,
  startRun,
} from '@openbot/claude-code';
import { resolveUserPath } from '@openbot/sessions';
import { RunFailed, UsageError } from '../errors.ts';
import { abortOnSignals } from './abort-on-signals.ts';
import { makeModel } from './anthropic.ts';
import { askForPermissions } from './ask-permission.ts';
import { type Command, type CommandInput, readText } from './command.ts';
import { readBudget, readPlace } from './place.ts';
import { formatEvent, formatOutcome } from './run-report.ts';

/** Runs a task in Claude Code, in the session that fits, and tells what happens. */
export const ccRun: Command = async (input) => {
  const { env, flags, terminal, words } = input;
  const [task = ''] = words;
  if (task.trim() === '') {
    throw new UsageError('What is the task?', 'Example: openbot cc run "fix the failing login test"');
  }
  const place = readPlace(input);
  const run = startRun({
    task,
    ...place,
    env,
    session: readChoice(input),
    label: readText(input, 'label'),
    maxBudgetUsd: readBudget(input),
    // Nobody can follow up on a command that has ended.
    idleMs: 0,
    // What it came to is told before this process dies.
    handlesSignals: false,
    model: readText(input, 'model'),
    allowedTools: [...listMcpToolNames({ readOnly: true }), ...readRules(input)],
    selection: { askModel: makeModel(env) },
    mcpServers: flags['no-mcp'] ? undefined : attachServer(input),
    pathToClaudeCodeExecutable: readProgram(input),
  });
  const stopAsking =
    input.isInteractive && !flags.json
      ? askForPermissions(run, { input: process.stdin, output: process.stderr })
      : () => {};
  const signals = abortOnSignals(run);
  let outcome: RunOutcome;
  try {
    for await (const event of run.events()) {
      const text = flags.json ? `${JSON.stringify(event)}\n` : formatEvent(event, terminal);
      if (text !== undefined) terminal.write(text);
    }
    outcome = await run.outcome;
  } finally {
    stopAsking();
    signals.release();
  }
  if (!flags.json) terminal.write(formatOutcome(outcome, terminal));
  signals.dieOfCaught();
  if (outcome.result !== 'success') throw new RunFailed(outcome.failure ?? 'The run was aborted', outcome);
};

function readChoice(input: CommandInput): SessionChoice | undefined {
  const sessionId = readText(input, 'session');
  if (sessionId !== undefined && input.flags.fresh) {
    throw new UsageError('--session and --fresh contradict each other', 'Leave one of them out');
  }
  if (sessionId !== undefined) return { action: 'resume', sessionId };
  return input.flags.fresh ? { action: 'fresh' } : undefined;
}

/** Commas part rules, but not inside their brackets. */
export function readRules(input: Pick<CommandInput, 'flags'>): string[] {
  const { allow } = input.flags;
  const rules = typeof allow === 'string' ? (allow.match(/(?:[^,(]|\([^)]*\)?)+/g) ?? []) : [];
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== '');
}

function readProgram(input: CommandInput): string | undefined {
  const path = readText(input, 'claude');
  return path === undefined ? undefined : resolveUserPath(path, input.env);
}

/** Claude Code gets the tools of `openbot mcp`, where what they need is installed. */
function attachServer(input: CommandInput): RunRequest['mcpServers'] {
  try {
    import.meta.resolve('@modelcontextprotocol/sdk/server/mcp.js');
  } catch {
    return undefined;
  }
  const bin = fileURLToPath(new URL('../../bin/openbot.js', import.meta.url));
  return async ({ repoPath, agentId, stateDir }) => {
    const sessions = await discoverSessions(repoPath, { agentId, stateDir, env: input.env });
    return {
      [MCP_SERVER_NAME]: mcpServerConfigFor({ bin, repoPath, agentId, stateDir, precomputed: { sessions } }),
    };
  };
}
