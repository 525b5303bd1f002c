import {
  discoverSessions,
  formatSelection,
  readProjectBranch,
  readRegistry,
  selectSession,
} from '@openbot/claude-code';
import { reportProgress } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { discoverWithProgress } from './discover-with-progress.ts';
import type { SELECT_FLAGS } from './flags.ts';
import { makeModel, readAgentState, readLabel, readRepoPath, readTask, refuseBoth } from './input.ts';

/** Shows in which session a task would continue, and why, without starting anything. */
export async function ccSelect(input: CommandInput<typeof SELECT_FLAGS>): Promise<void> {
  const { env, flags, terminal } = input;
  const repoPath = readRepoPath(input);
  const { agentId, stateDir } = readAgentState(input);
  const maxBudgetUsd = flags.budget;
  const resumeThreshold = flags.threshold;
  const label = readLabel(flags);
  const relevanceModel = input.flags.model;
  refuseBoth(flags, 'words', 'model');
  const task = await readTask(input, 'cc select');
  const [sessions, project] = await Promise.all([
    discoverWithProgress(input, (options) => discoverSessions(repoPath, { ...options, agentId })),
    readProjectBranch(repoPath, { env }),
  ]);
  reportProgress({ step: 'choose', text: 'Choosing the session' });
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
  const { maxLineWidth: columns, palette } = terminal;
  const { scores: _, ...short } = selection;
  terminal.say(formatSelection(flags.explain ? selection : short, { sessions, columns, palette }));
}
