import {
  discoverSessions,
  formatSelection,
  readProjectBranch,
  readRegistry,
  selectSession,
} from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import { makeModel } from './anthropic.ts';
import { type Command, readName, writeJson } from './command.ts';
import { discoverWithProgress } from './discover-with-progress.ts';
import { readBudget, readFraction } from './numbers.ts';
import { readLabel, readPlace } from './place.ts';
import { readTask } from './task.ts';

/** Which session a task would go on in, and why. Nothing is started. */
export const ccSelect: Command = async (input) => {
  const { env, flags, terminal } = input;
  const { repoPath, agentId, stateDir } = readPlace(input);
  const maxBudgetUsd = readBudget(input);
  const resumeThreshold = readFraction(input, 'threshold');
  const label = readLabel(input);
  const relevanceModel = readName(input, 'model', '<name>');
  if (flags.words && relevanceModel !== undefined) {
    throw new OpenBotError('USAGE', '--words and --model contradict each other', {
      hint: 'Leave one of them out',
    });
  }
  const task = await readTask(input, 'cc select');
  const [sessions, project] = await Promise.all([
    discoverWithProgress(input, (options) => discoverSessions(repoPath, { ...options, agentId })),
    readProjectBranch(repoPath, { env }),
  ]);
  const selection = await selectSession({
    task,
    repoPath,
    agentId,
    projectStatus: project,
    sessions,
    registry: [...readRegistry(stateDir, agentId).values()],
    label,
    maxBudgetUsd,
    config: { enabled: !flags.words, resumeThreshold, relevanceModel },
    askModel: makeModel(env),
  });
  if (flags.json) {
    writeJson(terminal, selection);
    return;
  }
  const { columns, palette } = terminal;
  const { scores: _, ...short } = selection;
  terminal.write(formatSelection(flags.explain ? selection : short, { sessions, columns, palette }));
};
