import { type RunEvent, type RunOutcome, type RunRequest, startRun } from '@openbot/claude-code';
import { resolveUserPath } from '@openbot/sessions/layout';
import { toJsonText } from '@openbot/sessions/terminal-text';
import { OutputLost, runFailed } from '../errors.ts';
import { ATTENDED, findAnswerSource, PermissionDesk, UNATTENDED } from '../permissions/permission-desk.ts';
import { abortOnSignals } from './abort-on-signals.ts';
import { readRules } from './allow-rules.ts';
import { makeModel } from './anthropic.ts';
import { type Command, type CommandInput, readName } from './command.ts';
import { HeldMessages, type MessageEvent } from './held-messages.ts';
import { readBudget, readFraction } from './numbers.ts';
import { readLabel, readPlace } from './place.ts';
import { formatOutcome, RunReport } from './run-report.ts';
import { readSessionChoice } from './session-choice.ts';
import { readTask } from './task.ts';

/** Runs a task in Claude Code, in the session that fits, and tells what happens. */
export const ccRun: Command = async (input) => {
  const { flags, terminal } = input;
  const messages = new HeldMessages();
  const request = await readRequest(input, (text) => messages.add(text));
  const answers = flags.json
    ? undefined
    : findAnswerSource({ holdsTask: input.words[0] === '-', isInteractive: input.isInteractive });
  const report = new RunReport(terminal, request);
  const tell = (event: RunEvent | MessageEvent) => {
    const text = flags.json ? `${toJsonText(event)}\n` : report.format(event);
    if (text !== undefined) terminal.write(text);
  };
  const run = startRun({ ...request, ...(answers === undefined ? UNATTENDED : ATTENDED) });
  const isWatched = answers !== undefined || (input.isInteractive && !flags.json);
  let desk: PermissionDesk | undefined;
  // The tools of Claude Code can take a while to end.
  const signals = abortOnSignals(run, () => {
    desk?.leave();
    if (isWatched) terminal.writeError('… ending\n');
  });
  if (answers !== undefined) {
    desk = new PermissionDesk(run, {
      openInput: answers.open,
      output: process.stderr,
      onInterrupt: signals.interrupt,
    });
    // A question that nobody waits for any more holds nothing back.
    run.outcome.catch(() => {}).finally(() => desk?.leave());
  }
  let outcome: RunOutcome;
  try {
    for await (const event of run.events()) {
      await desk?.whenFree();
      for (const message of messages.takeBefore(event)) tell(message);
      tell(event);
    }
    outcome = await run.outcome;
  } finally {
    desk?.end();
    answers?.close();
    signals.release();
  }
  if (!flags.json) terminal.write(formatOutcome(outcome, terminal));
  signals.dieOfCaught();
  if (terminal.lost?.aborted) throw new OutputLost();
  if (outcome.result !== 'success') throw runFailed(outcome.failure ?? 'The run was aborted', outcome);
};

async function readRequest(input: CommandInput, onMessage: (text: string) => void): Promise<RunRequest> {
  const { env, flags, terminal } = input;
  const place = readPlace(input);
  const label = readLabel(input);
  const maxBudgetUsd = readBudget(input);
  const resumeThreshold = readFraction(input, 'threshold');
  const rules = readRules(input);
  const model = readName(input, 'model', '<name>');
  const sessionKey = readName(input, 'conversation', 'agent:main:main');
  const program = readName(input, 'claude', '<path>');
  const task = await readTask(input, 'cc run');
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
    selection: { askModel: makeModel(env), config: { enabled: !flags.words, resumeThreshold } },
    agentTools: flags['no-mcp'] ? false : { sessionKey, sendMessage: async ({ text }) => onMessage(text) },
    pathToClaudeCodeExecutable: program === undefined ? undefined : resolveUserPath(program, env),
  };
}
