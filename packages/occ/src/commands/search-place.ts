import type { SearchPlace } from '../sources/found-session.ts';
import type { CommandInput } from './command.ts';

/** Where a command looks for sessions. */
export function searchPlaceOf({ flags, env, cwd, settings, commandLine }: CommandInput): SearchPlace {
  return {
    env,
    cwd,
    stateDirFlag: flags.stateDir,
    stateDirConfigured: settings.stateDirectory,
    agentFlag: flags.agent,
    agentConfigured: settings.defaultAgentId,
    allAgents: flags.allAgents,
    source: flags.source,
    commandLine,
  };
}
