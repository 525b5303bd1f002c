import {
  discoverSessions,
  formatSelection,
  readProjectBranch,
  readRegistry,
  selectSession,
} from '@openbot/claude-code';
import { type Command, writeJson } from './command.ts';
import { discoverWithProgress } from './discover-with-progress.ts';
import {
  makeModel,
  readAgentState,
  readBudget,
  readFraction,
  readLabel,
  readName,
  readRepoPath,
  readTask,
  refuseBoth,
} from './input.ts';

/** Shows in which session a task would continue, and why, without starting anything. */
export const ccSelect: Command = async (input) => {
  const { env, flags, terminal } = input;
  const repoPath = readRepoPath(input);
  const { agentId, stateDir } = readAgentState(input);
  const maxBudgetUsd = readBudget(input);
  const resumeThreshold = readFraction(input, 'threshold');
  const label = readLabel(input);
  const relevanceModel = readName(input, 'model', '<name>');
  refuseBoth(input, 'words', 'model');
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
