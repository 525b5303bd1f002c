import { type RunEvent, type RunOutcome, type RunRequest, startRun } from '@openbot/claude-code';
import { reportProgress } from '@openbot/sessions';
import { type CommandInput, OutputLost } from '@openbot/sessions/command-line';
import { resolveUserPath } from '@openbot/sessions/layout';
import { toJsonText } from '@openbot/sessions/terminal-text';
import { runFailed } from '../../errors.ts';
import { ATTENDED, findAnswerSource, PermissionDesk, UNATTENDED } from '../../permissions/permission-desk.ts';
import { abortOnSignals } from '../abort-on-signals.ts';
import type { RUN_FLAGS } from './flags.ts';
import { HeldMessages, type MessageEvent } from './held-messages.ts';
import { makeModel, readAgentState, readLabel, readRepoPath, readRules, readTask } from './input.ts';
import { formatOutcome, RunReport } from './run-report.ts';
import { readSessionChoice } from './session-choice.ts';

/** Runs a task in Claude Code, in the session that fits, and prints what happens. */
export async function ccRun(input: CommandInput<typeof RUN_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const messages = new HeldMessages();
  const request = await readRequest(input, (text) => messages.add(text));
  const answers = flags.json
    ? undefined
    : findAnswerSource({ holdsTask: input.words[0] === '-', isInteractive: input.isInteractive });
  const report = new RunReport(terminal, request);
  const print = (event: RunEvent | MessageEvent) => {
    const text = flags.json ? `${toJsonText(event)}\n` : report.format(event);
    if (text !== undefined) terminal.write(text);
    const progress = report.progressAfter(event);
    if (progress !== undefined) reportProgress(progress);
  };
  reportProgress({ step: 'choose', text: 'Choosing the session' });
  const run = startRun({ ...request, ...(answers === undefined ? UNATTENDED : ATTENDED) });
  const isWatched = answers !== undefined || (input.isInteractive && !flags.json);
  let desk: PermissionDesk | undefined;
  // Claude Code's tools can take a while to end.
  const signals = abortOnSignals(
    () => {
      desk?.leave();
      if (isWatched) terminal.warn('… ending\n');
      run.abort();
    },
    () => run.abort(),
  );
  if (answers !== undefined) {
    desk = new PermissionDesk(run, {
      openInput: answers.open,
      output: process.stderr,
      onInterrupt: signals.interrupt,
    });
    // After the end of the run an open question must not hold back the output.
    run.outcome.catch(() => {}).finally(() => desk?.leave());
  }
  let outcome: RunOutcome;
  try {
    for await (const event of run.events()) {
      await desk?.whenFree();
      for (const message of messages.takeBefore(event)) print(message);
      print(event);
    }
    outcome = await run.outcome;
  } finally {
    reportProgress({ step: undefined });
    desk?.end();
    answers?.close();
    signals.release();
  }
  if (!flags.json) terminal.write(formatOutcome(outcome, terminal));
  signals.dieOfCaught();
  if (terminal.lost?.aborted) throw new OutputLost();
  if (outcome.result !== 'success') throw runFailed(outcome.failure ?? 'The run was aborted', outcome);
}

async function readRequest(
  input: CommandInput<typeof RUN_FLAGS>,
  onMessage: (text: string) => void,
): Promise<RunRequest> {
  const { env, flags, terminal } = input;
  const repoPath = readRepoPath(input);
  const { stateDir, agentId } = readAgentState(input);
  const label = readLabel(flags);
  const maxBudgetUsd = flags.budget;
  const resumeThreshold = flags.threshold;
  const rules = readRules(input);
  const model = input.flags.model;
  const sessionKey = input.flags.conversation;
  const program = input.flags.claude;
  const task = await readTask(input, 'cc run');
  return {
    task,
    repoPath,
    stateDir,
    agentId,
    env,
    session: await readSessionChoice(input, { repoPath, agentId }),
    label,
    maxBudgetUsd,
    // The command ends with the task, so no follow-up can arrive.
    idleMs: 0,
    // `abortOnSignals` handles them: the outcome is printed before this process dies.
    handlesSignals: false,
    // A run whose output cannot be read ends.
    signal: terminal.lost,
    model,
    allowedTools: rules,
    settingSources: flags.isolated ? [] : undefined,
    selection: { askModel: makeModel(env), config: { enabled: !flags.words, resumeThreshold } },
    agentTools: flags.noMcp ? false : { sessionKey, sendMessage: async ({ text }) => onMessage(text) },
    pathToClaudeCodeExecutable: program === undefined ? undefined : resolveUserPath(program, env),
  };
}
