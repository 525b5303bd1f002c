import { printable } from '@openbot/sessions/terminal-text';
import { openScope, type SearchWarning } from '../finding/search-warning.ts';
import { SOURCES } from '../storage/all.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import type { OccInput } from './command.ts';
import type { COMMON_FLAGS } from './flags.ts';

/** Where a command looks for sessions. */
export function searchScopeOf({
  flags,
  env,
  cwd,
  settings,
  commandLine,
  host,
}: OccInput<typeof COMMON_FLAGS>): SearchScope {
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
    ownLayout: host?.layout,
  };
}

/** The same, with its warnings. People read them on stderr as they come; with `--json` they belong to the result. */
export function openSearch(input: OccInput<typeof COMMON_FLAGS>): {
  scope: SearchScope;
  warnings: readonly SearchWarning[];
} {
  const { flags, terminal } = input;
  const { yellow } = terminal.errorPalette;
  return openScope({ ...searchScopeOf(input), choose: chooserFor(input) }, ({ message, hint }) => {
    if (flags.json) return;
    const lines = [
      `${yellow('Warning:')} ${printable(message)}`,
      ...(hint === undefined ? [] : [printable(hint)]),
    ];
    terminal.warn(`${lines.join('\n  ')}\n`);
  });
}

/** Undefined where no person is at the terminal, or a program reads the output. */
function chooserFor(input: OccInput<typeof COMMON_FLAGS>): SearchScope['choose'] {
  const { flags, env, terminal } = input;
  const isAgent = SOURCES.some(({ shell }) => shell.variables.some((name) => env[name]));
  const mayAsk = terminal.isTerminal && !flags.json && !isAgent && !env.CI && env.TERM !== 'dumb';
  if (!mayAsk || !input.isInteractive) return undefined;
  return async (sessions) => (await import('./choose-session.ts')).chooseSession(input, sessions);
}
