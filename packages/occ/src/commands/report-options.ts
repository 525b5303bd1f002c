import { homedir } from 'node:os';
import type { ReportOptions } from '../report/report-options.ts';
import { paletteFor } from './ansi-palette.ts';
import type { CommandInput } from './command.ts';

/** How a command's report is to look on this terminal. */
export function reportOptionsOf({ flags, env, terminal }: CommandInput): ReportOptions {
  return {
    verbose: flags.verbose === true,
    palette: paletteFor(terminal.colour),
    home: env.HOME || env.USERPROFILE || homedir(),
    columns: terminal.columns,
  };
}
