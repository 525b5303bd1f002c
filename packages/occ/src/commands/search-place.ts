import { paletteFor, printable } from '@openbot/sessions/terminal-text';
import { keepWarnings, type SearchWarning } from '../finding/search-warning.ts';
import type { SearchPlace } from '../storage/contract/found-session.ts';
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

/** The same, with its warnings. People read them on stderr as they come; with `--json` they belong to the result. */
export function openSearch(input: CommandInput): {
  place: SearchPlace;
  warnings: readonly SearchWarning[];
} {
  const { flags, terminal } = input;
  const { yellow } = paletteFor(terminal.errorColour);
  return keepWarnings(searchPlaceOf(input), ({ message, hint }) => {
    if (flags.json) return;
    const lines = [
      `${yellow('Warning:')} ${printable(message)}`,
      ...(hint === undefined ? [] : [printable(hint)]),
    ];
    terminal.writeError(`${lines.join('\n  ')}\n`);
  });
}
