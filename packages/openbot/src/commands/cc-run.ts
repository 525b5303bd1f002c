import {
  discoverSessions,
  listMcpToolNames,
  MCP_SERVER_NAME,
  mcpServerConfigFor,
  type RunRequest,
  type SessionChoice,
  startRun,
} from '@openbot/claude-code';
import { RunFailed, UsageError } from '../errors.ts';
import { makeModel } from './anthropic.ts';
import { askForPermissions } from './ask-permission.ts';
import { type Command, type CommandInput, readText } from './command.ts';
import { readPlace } from './place.ts';
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
    model: readText(input, 'model'),
    allowedTools: [...listMcpToolNames({ readOnly: true }), ...readRules(input)],
    selection: { askModel: makeModel(env) },
    mcpServers: flags['no-mcp'] ? undefined : attachServer(input),
    pathToClaudeCodeExecutable: readText(input, 'claude'),
  });
  askForPermissions(run, input);
  for await (const event of run.events()) {
    const text = flags.json ? `${JSON.stringify(event)}\n` : formatEvent(event, terminal);
    if (text !== undefined) terminal.write(text);
  }
  const outcome = await run.outcome;
  if (!flags.json) terminal.write(formatOutcome(outcome, terminal));
  if (outcome.result !== 'success')
    throw new RunFailed(outcome.failure ?? 'The run was aborted', outcome.sessionId);
};

function readChoice(input: CommandInput): SessionChoice | undefined {
  const sessionId = readText(input, 'session');
  if (sessionId !== undefined && input.flags.fresh) {
    throw new UsageError('--session and --fresh contradict each other', 'Leave one of them out');
  }
  if (sessionId !== undefined) return { action: 'resume', sessionId };
  return input.flags.fresh ? { action: 'fresh' } : undefined;
}

function readBudget(input: CommandInput): number | undefined {
  const text = readText(input, 'budget');
  if (text === undefined) return undefined;
  const amount = Number(text.replace(/^\$/, ''));
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new UsageError(`--budget takes an amount in US dollars, not '${text}'`, 'Example: --budget 2.50');
}

function readRules(input: CommandInput): string[] {
  return (readText(input, 'allow') ?? '')
    .split(',')
    .flatMap((rule) => (rule.trim() === '' ? [] : [rule.trim()]));
}

/** Claude Code gets the tools of `openbot mcp`, where what they need is installed. */
function attachServer(input: CommandInput): RunRequest['mcpServers'] {
  try {
    import.meta.resolve('@modelcontextprotocol/sdk/server/mcp.js');
  } catch {
    return undefined;
  }
  const bin = new URL('../../bin/openbot.js', import.meta.url).pathname;
  return async ({ repoPath, agentId, stateDir }) => {
    const sessions = await discoverSessions(repoPath, { stateDir, env: input.env });
    return {
      [MCP_SERVER_NAME]: mcpServerConfigFor({ bin, repoPath, agentId, stateDir, precomputed: { sessions } }),
    };
  };
}
