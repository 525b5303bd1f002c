import { basename, dirname } from 'node:path';
import {
  declareCompletion,
  declareVersion,
  type Program,
  readPackageVersion,
  runProgram,
  type Surroundings,
  type Terminal,
} from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import type { OccContext } from '../commands/command.ts';
import { COMMON_FLAGS } from '../commands/flags.ts';
import { loadSettings } from '../config/settings.ts';
import { COMMANDS, PRESET_ROWS } from './command-table.ts';
import { QUICKSTART } from './quickstart.ts';

export const OCC: Program<OccContext, typeof COMMON_FLAGS> = {
  name: 'occ',
  version: () => readPackageVersion(import.meta.url),
  commands: [...COMMANDS, declareCompletion('occ', () => OCC), declareVersion('occ', () => OCC)],
  commonFlags: COMMON_FLAGS,
  help: {
    about: `occ cleans the session of an agent whose context window fills up: it removes or shortens old tool calls and their
results, and keeps what people and the agent said. It works on the sessions of OpenClaw (SQLite and files), pi and Claude
Code.`,
    usage: 'occ <command> [session] [flags]',
    commonTitle: 'Common flags (demo has only the last three, completion and version the last):',
    sections: [{ title: 'Presets of --strip-tools:', rows: PRESET_ROWS }],
    examples: [
      ['occ info', 'show where the context goes'],
      ['occ edit --strip-tools', 'clean the current session'],
      ['occ restore', 'undo the clean'],
    ],
    closing: [
      `Settings are read from occ.config.{json,yaml,toml} or .occrc (in this folder, one above it or the home folder), or
from "occ" in package.json: stateDirectory, defaultAgentId, defaultPreset, customPresets, outputFormat, verboseOutput, keepOriginal. Or
from the environment: OCC_STATE_DIRECTORY, OCC_DEFAULT_AGENT_ID, OCC_DEFAULT_PRESET, OCC_OUTPUT_FORMAT, OCC_VERBOSE_OUTPUT
and OCC_KEEP_ORIGINAL. A flag overrides the environment, and the environment overrides a file. Code (occ.config.ts, .js)
is run from ~/.config, from the home folder or with --config, never from the working folder.`,
    ],
  },
  pages: { quickstart: { help: 'Print a short version of this help, for agents', text: QUICKSTART } },
  prefersJson: (env) => env.OCC_OUTPUT_FORMAT?.trim().toLowerCase() === 'json',
  async prepare({ json, verbose, config }, { env, cwd, terminal }) {
    const settings = await loadSettings({ env, cwd, flags: { json, verbose, config } });
    const isJson = settings.outputFormat === 'json';
    if (!isJson) noteCodeNotRun(settings.notRun, terminal);
    return { context: { settings }, json: isJson, verbose: settings.verboseOutput };
  },
};

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  return runProgram(OCC, argv, surroundings);
}

/** On stderr, beside the report. Programs that read JSON get no remarks. */
function noteCodeNotRun(path: string | undefined, terminal: Terminal): void {
  if (path === undefined) return;
  const shown = printable(basename(path));
  const where = basename(dirname(path)) === '.config' ? `.config/${shown}` : shown;
  terminal.warn(
    `Note: ${where} in this folder is code, so it was not run. If you trust it, use: occ --config ${where} …\n`,
  );
}
