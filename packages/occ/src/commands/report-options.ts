import { homedir } from 'node:os';
import { isMeantAsPath } from '../finding/session-at-path.ts';
import { chooseSources } from '../finding/source-choice.ts';
import type { ReportOptions } from '../report/report-options.ts';
import { SOURCES } from '../storage/all.ts';
import type { SearchAgain } from '../storage/contract/finding.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import type { OccInput } from './command.ts';
import type { COMMON_FLAGS, FORCE } from './flags.ts';
import { searchScopeOf } from './search-scope.ts';

/** How a command's report is to look on this terminal. */
export function reportOptionsOf(input: OccInput<typeof COMMON_FLAGS & typeof FORCE>): ReportOptions {
  const { flags, words, env, terminal } = input;
  return {
    verbose: flags.verbose === true,
    palette: terminal.palette,
    home: env.HOME || env.USERPROFILE || homedir(),
    columns: terminal.columns,
    again: {
      byPath: words[0] !== undefined && isMeantAsPath(searchScopeOf(input), words[0]),
      byTranscript: words[0]?.trim().endsWith('.jsonl') === true,
      force: flags.force === true,
      flags: flags.stateDir === undefined ? [] : ['--state-dir', flags.stateDir],
      config: flags.config,
      ...findDefaults(searchScopeOf(input)),
    },
  };
}

/** What the same shell searches without flags. Where the default agent does not exist, every agent must be named. */
function findDefaults(scope: SearchScope): Pick<SearchAgain, 'defaultSource' | 'defaultAgentId'> {
  const bare = { ...scope, source: undefined, agentFlag: undefined, allAgents: false };
  const [source] = chooseSources({ ...bare, stateDirFlag: undefined });
  try {
    const [defaultAgentId] = SOURCES.flatMap((one) => one.agentIds?.(bare) ?? []);
    return { defaultSource: source?.name, defaultAgentId };
  } catch {
    return { defaultSource: source?.name, defaultAgentId: '' };
  }
}
