import {
  discoverSessions,
  formatSelection,
  readProjectBranch,
  readRegistry,
  selectSession,
} from '@openbot/claude-code';
import { makeModel } from './anthropic.ts';
import { type Command, readName, readText, writeJson } from './command.ts';
import { discoverWithProgress, readBudget, readFraction, readPlace } from './place.ts';
import { readTask } from './task.ts';

/** Which session a task would go on in, and why. Nothing is started. */
export const ccSelect: Command = async (input) => {
  const { env, flags, terminal } = input;
  const { repoPath, agentId, stateDir } = readPlace(input);
  const maxBudgetUsd = readBudget(input);
  const resumeThreshold = readFraction(input, 'threshold');
  const label = readName(input, 'label', 'release');
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
    config: { enabled: !flags.words, resumeThreshold, relevanceModel: readText(input, 'model') },
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
