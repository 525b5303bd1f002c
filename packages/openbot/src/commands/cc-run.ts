import { type RunEvent, type RunOutcome, type RunRequest, startRun } from '@openbot/claude-code';
import { resolveUserPath } from '@openbot/sessions';
import { OutputLost, RunFailed } from '../errors.ts';
import { abortOnSignals } from './abort-on-signals.ts';
import { readRules } from './allow-rules.ts';
import { makeModel } from './anthropic.ts';
import { askForPermissions } from './ask-permission.ts';
import { type Command, type CommandInput, readName } from './command.ts';
import { HeldMessages, type MessageEvent } from './held-messages.ts';
import { readBudget, readPlace } from './place.ts';
import { refuseOwnRun } from './refuse-own-run.ts';
import { formatOutcome, RunReport } from './run-report.ts';
import { readSessionChoice } from './session-choice.ts';
import { readTask } from './task.ts';

/** Runs a task in Claude Code, in the session that fits, and tells what happens. */
export const ccRun: Command = async (input) => {
  const { flags, terminal, words } = input;
  const report = new RunReport(terminal);
  const tell = (event: RunEvent | MessageEvent) => {
    const text = flags.json ? `${JSON.stringify(event)}\n` : report.format(event);
    if (text !== undefined) terminal.write(text);
  };
  const messages = new HeldMessages();
  const run = startRun(await readRequest(input, (text) => messages.add(text)));
  const isWatched = input.isInteractive && !flags.json;
  // The tools of Claude Code can take a while to end.
  const signals = abortOnSignals(run, () => {
    if (isWatched) terminal.writeError('… ending\n');
  });
  // Who gave the task on standard input cannot answer there.
  const canAsk = isWatched && words[0] !== '-';
  const stopAsking = canAsk
    ? askForPermissions(run, {
        input: process.stdin,
        output: process.stderr,
        onInterrupt: signals.interrupt,
      })
    : () => {};
  let outcome: RunOutcome;
  try {
    for await (const event of run.events()) {
      for (const message of messages.takeBefore(event)) tell(message);
      tell(event);
    }
    outcome = await run.outcome;
  } finally {
    stopAsking();
    signals.release();
  }
  if (!flags.json) terminal.write(formatOutcome(outcome, terminal));
  signals.dieOfCaught();
  if (terminal.lost?.aborted) throw new OutputLost();
  if (outcome.result !== 'success') throw new RunFailed(outcome.failure ?? 'The run was aborted', outcome);
};

async function readRequest(input: CommandInput, onMessage: (text: string) => void): Promise<RunRequest> {
  const { env, flags, terminal } = input;
  const place = readPlace(input);
  const label = readName(input, 'label', 'release');
  const maxBudgetUsd = readBudget(input);
  const rules = readRules(input);
  const model = readName(input, 'model', '<name>');
  const program = readName(input, 'claude', '<path>');
  const task = await readTask(input, 'cc run');
  await refuseOwnRun(input, place);
  return {
    task,
    ...place,
    env,
    session: await readSessionChoice(input, place),
    label,
    maxBudgetUsd,
    // Nobody can follow up on a command that has ended.
    idleMs: 0,
    // What it came to is told before this process dies.
    handlesSignals: false,
    // What nobody sees must not go on.
    signal: terminal.lost,
    model,
    allowedTools: rules,
    settingSources: flags.isolated ? [] : undefined,
    selection: { askModel: makeModel(env) },
    agentTools: flags['no-mcp'] ? false : { sendMessage: async ({ text }) => onMessage(text) },
    pathToClaudeCodeExecutable: program === undefined ? undefined : resolveUserPath(program, env),
  };
}
