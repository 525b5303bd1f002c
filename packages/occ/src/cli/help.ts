import { BUILT_IN_PRESETS } from '../clean/presets.ts';
import { ABOUT, COMMAND_TEXTS, ROOT_EXAMPLES } from './command-texts.ts';
import {
  COMMAND_NAMES,
  COMMON_FLAGS,
  type CommandName,
  type FlagSpec,
  listCommonFlags,
  OWN_FLAGS,
} from './flag-table.ts';
import { WORDS_TAKEN } from './parse-arguments.ts';
import { wrapText } from './wrap-text.ts';

/** `occ --help`. */
export function formatHelp(): string {
  const commands = COMMAND_NAMES.map((name) => [synopsis(name), COMMAND_TEXTS[name].summary] as const);
  return sections([
    wrapText(ABOUT, WIDTH).join('\n'),
    titled('Usage:', ['occ <command> [session] [flags]']),
    titled('Commands:', columns(commands)),
    titled(
      'Flags of every command (demo has the last three):',
      columns([...COMMON_FLAGS.map(describeFlag), HELP_ROW]),
    ),
    titled('Also:', columns(ROOT_ROWS)),
    titled('Presets of --strip-tools:', columns(describePresets())),
    titled('Examples:', columns(ROOT_EXAMPLES)),
    wrapText(CONFIGURATION, WIDTH).join('\n'),
    "'occ <command> --help' tells more of a command.",
  ]);
}

/** `occ <command> --help`. */
export function formatCommandHelp(command: CommandName): string {
  const { summary, about, examples } = COMMAND_TEXTS[command];
  const own: readonly FlagSpec[] = OWN_FLAGS[command];
  const cleans = own.some(({ key }) => key === 'stripTools');
  return sections([
    `${summary}.`,
    titled('Usage:', [`occ ${synopsis(command)} [flags]`]),
    ...about.map((text) => wrapText(text, WIDTH).join('\n')),
    ...(own.length === 0 ? [] : [titled('Flags:', columns(own.map(describeFlag)))]),
    ...(cleans ? [titled('Presets:', columns(describePresets()))] : []),
    titled('Flags of every command:', columns([...listCommonFlags(command).map(describeFlag), HELP_ROW])),
    titled('Examples:', columns(examples)),
  ]);
}

/** Of the narrowest terminal that is common. */
const WIDTH = 80;
const GAP = '  ';

type Row = readonly [left: string, right: string];

const HELP_ROW: Row = ['-h, --help', 'Show this'];
const ROOT_ROWS: readonly Row[] = [
  ['--version', 'Print the version'],
  ['--quickstart', 'The short version of this, for agents'],
];

const CONFIGURATION = `Settings: occ.config.{json,yaml,toml}, .occrc (here, above or in the home folder) or "occ" in package.json, with
stateDirectory, defaultAgentId, defaultPreset, customPresets, outputFormat, verboseOutput, keepOriginal; or in the
environment OCC_STATE_DIRECTORY, OCC_DEFAULT_AGENT_ID, OCC_DEFAULT_PRESET, OCC_OUTPUT_FORMAT, OCC_VERBOSE_OUTPUT,
OCC_KEEP_ORIGINAL. A flag wins over the environment, that over a file. Code (occ.config.ts, .js) is run from ~/.config or the home folder or by
--config, never because it is in the working folder.`;

function synopsis(command: CommandName): string {
  return WORDS_TAKEN[command] === 0 ? command : `${command} [session]`;
}

function describeFlag({ name, short, value, negatable, help }: FlagSpec): Row {
  const shown = `${short === undefined ? '' : `-${short}, `}--${negatable ? '[no-]' : ''}${name}`;
  if (value === undefined) return [shown, help];
  return [value.optional ? `${shown}[=${value.placeholder}]` : `${shown} <${value.placeholder}>`, help];
}

function describePresets(): Row[] {
  return Object.values(BUILT_IN_PRESETS).map(({ name, keepTurnsWithTools, truncatePercent }) => [
    name,
    keepTurnsWithTools === 0
      ? 'Remove all tool calls'
      : `Keep the newest ${keepTurnsWithTools} turns with tools, shorten the older ${truncatePercent}% of them`,
  ]);
}

function titled(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  const indent = width + GAP.length;
  return rows.map(([left, right]) =>
    wrapText(right, WIDTH - GAP.length - indent)
      .map((line, at) => (at === 0 ? left : '').padEnd(indent) + line)
      .join(`\n${GAP}`),
  );
}

function sections(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
