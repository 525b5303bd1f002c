import {
  discoverSessions,
  formatSelection,
  gatherProjectStatus,
  readRegistry,
  selectSession,
} from '@openbot/claude-code';
import { UsageError } from '../errors.ts';
import { makeModel } from './anthropic.ts';
import { type Command, readText, writeJson } from './command.ts';
import { discoverWithProgress, readPlace } from './place.ts';

/** Which session a task would go on in, and why. Nothing is started. */
export const ccSelect: Command = async (input) => {
  const { env, flags, terminal, words } = input;
  const [task = ''] = words;
  if (task.trim() === '') {
    throw new UsageError('What is the task?', 'Example: openbot cc select "fix the failing login test"');
  }
  const { repoPath, agentId, stateDir } = readPlace(input);
  const sessions = await discoverWithProgress(input, (options) => discoverSessions(repoPath, options));
  const projectStatus = await gatherProjectStatus(repoPath, {
    agentId,
    env,
    discover: async () => sessions,
  });
  const selection = await selectSession({
    task,
    repoPath,
    agentId,
    projectStatus,
    sessions,
    registry: [...readRegistry(stateDir, agentId).values()],
    label: readText(input, 'label'),
    config: flags.words ? { enabled: false } : undefined,
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
