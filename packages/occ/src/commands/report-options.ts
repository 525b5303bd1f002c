import { homedir } from 'node:os';
import type { ReportOptions } from '../report/report-options.ts';
import { isMeantAsPath } from '../sources/session-at-path.ts';
import { paletteFor } from './ansi-palette.ts';
import type { CommandInput } from './command.ts';
import { searchPlaceOf } from './search-place.ts';

/** How a command's report is to look on this terminal. */
export function reportOptionsOf(input: CommandInput): ReportOptions {
  const { flags, words, env, terminal } = input;
  return {
    verbose: flags.verbose === true,
    palette: paletteFor(terminal.colour),
    home: env.HOME || env.USERPROFILE || homedir(),
    columns: terminal.columns,
    again: {
      byPath: words[0] !== undefined && isMeantAsPath(searchPlaceOf(input), words[0]),
      flags: flags.stateDir === undefined ? [] : ['--state-dir', flags.stateDir],
    },
  };
}
