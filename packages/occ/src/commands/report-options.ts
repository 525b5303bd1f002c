import { homedir } from 'node:os';
import { isMeantAsPath } from '../finding/session-at-path.ts';
import { chooseSources } from '../finding/source-choice.ts';
import type { ReportOptions } from '../report/report-options.ts';
import { SOURCES } from '../storage/all.ts';
import type { SearchAgain } from '../storage/contract/finding.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import type { OccInput } from './command.ts';
import type { COMMON_FLAGS, FORCE } from './flags.ts';

/** The format of a command's report on this terminal. */
export function formatOptionsOf({ flags, env, terminal }: OccInput<typeof COMMON_FLAGS>): ReportOptions {
  return {
    verbose: flags.verbose === true,
    palette: terminal.palette,
    home: env.HOME || env.USERPROFILE || homedir(),
    columns: terminal.columns,
    maxLineWidth: terminal.maxLineWidth,
  };
}

/** The same for a report that contains commands on the session. */
export function reportOptionsOf(
  input: OccInput<typeof COMMON_FLAGS & typeof FORCE>,
  scope: SearchScope,
): ReportOptions {
  const { flags, words, host } = input;
  return {
    ...formatOptionsOf(input),
    again: {
      byPath: words[0] !== undefined && isMeantAsPath(scope, words[0]),
      byTranscript: words[0]?.trim().endsWith('.jsonl') === true,
      force: flags.force === true,
      flags: flags.stateDir === undefined ? [] : ['--state-dir', flags.stateDir],
      config: flags.config,
      calledAs: host?.calledAs,
      ...findDefaults(scope),
    },
  };
}

/** What the same shell searches without flags. Where the default agent does not exist, every agent must be named. */
function findDefaults(scope: SearchScope): Pick<SearchAgain, 'defaultSource' | 'defaultAgentId'> {
  const bare = { ...scope, source: undefined, agentFlag: undefined, allAgents: false, warn: undefined };
  const [source] = chooseSources({ ...bare, stateDirFlag: undefined });
  try {
    const [defaultAgentId] = SOURCES.flatMap((one) => one.agentIds?.(bare) ?? []);
    return { defaultSource: source?.name, defaultAgentId };
  } catch {
    return { defaultSource: source?.name, defaultAgentId: '' };
  }
}
