import { COMMANDS, type CommandSpec, type FlagSpec } from './command-table.ts';

const WIDTH = 24;

export function formatHelp(about: CommandSpec | undefined): string {
  return about === undefined ? formatOverview() : formatCommand(about);
}

function formatOverview(): string {
  const lines = COMMANDS.map(
    ({ name, words, text }) => `  ${`${name} ${words}`.trim().padEnd(WIDTH)}${text}`,
  );
  return [
    'openbot: the session layer for persistent-identity agents',
    '',
    'Usage: openbot <command> [flags]',
    '',
    ...lines,
    '',
    'openbot <command> --help tells the flags of one.',
    '',
  ].join('\n');
}

function formatCommand({ name, words, text, more = [], flags }: CommandSpec): string {
  const lines = Object.entries(flags).map(
    ([flag, spec]) => `  ${showFlag(flag, spec).padEnd(WIDTH)}${spec.text}`,
  );
  const usage = `Usage: ${`openbot ${name} ${words}`.trim()} [flags]`;
  return [`${text}.`, ...more, '', usage, '', ...lines, ''].join('\n');
}

function showFlag(name: string, { short, value }: FlagSpec): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}
