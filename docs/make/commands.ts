/** Makes docs/commands.md from the command tables of occ and openbot. `npm run docs` writes it; a test holds that it is up to date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OCC } from '../../packages/occ/src/cli/main.ts';
import { OPENBOT } from '../../packages/openbot/src/cli/main.ts';
import type { ResultShape } from '../../packages/sessions/src/command-line/result-shape.ts';
import {
  type Command,
  type Flags,
  listVisible,
  type Program,
  showFlag,
  showSynopsis,
} from '../../packages/sessions/src/exports/command-line.ts';

export const PROGRAMS: readonly Program[] = [OCC, OPENBOT];

const HEAD = `# Commands

Every command of \`occ\` and \`openbot\`, with its flags and the JSON that it prints. A flag may be anywhere before \`--\`; a value that
begins with a dash is written \`--flag=-value\`. A flag that is shown as \`--flag[=value]\` takes a value only after \`=\`.

Text is coloured in a terminal. \`--no-color\`, which every command takes, or \`NO_COLOR=1\` turns that off; \`FORCE_COLOR=1\` colours text
for pipes and files too, and \`FORCE_COLOR=0\` none. NO_COLOR wins over FORCE_COLOR; JSON is never coloured. Help and tables are as wide
as the terminal, or as \`COLUMNS\` says.

In the descriptions of JSON a field with \`?\` may be absent, and \`[name]\` means any name. Errors are on stderr, with \`--json\` as
\`{"success":false,"error":{"code","message","hint"}}\`: see [errors.md](errors.md).

This page is made by \`npm run docs\` from the declarations of the commands.`;

export async function makeCommandsPage(): Promise<string> {
  const programs = await Promise.all(PROGRAMS.map(describeProgram));
  return `${[HEAD, ...programs].join('\n\n')}\n`;
}

async function describeProgram(program: Program): Promise<string> {
  const { name, commonFlags, help } = program;
  const commands = await Promise.all(
    listVisible(program).map((command) => describeCommand(program, command)),
  );
  const common = Object.keys(commonFlags).length === 0 ? [] : ['### Common flags', tableOf(commonFlags)];
  return [`## ${name}`, oneLine(help.about), ...common, ...commands].join('\n\n');
}

async function describeCommand({ name, commonFlags }: Program, command: Command): Promise<string> {
  const own = Object.fromEntries(Object.entries(command.flags).filter(([key]) => !(key in commonFlags)));
  const shared = Object.keys(command.flags).filter((key) => key in commonFlags);
  const sharing =
    shared.length === 0
      ? []
      : shared.length === Object.keys(commonFlags).length
        ? ['It has the common flags too.']
        : [
            `Of the common flags it has ${shared.map((key) => `\`${showFlag(key, commonFlags[key]!)}\``).join(' and ')}.`,
          ];
  const results = Object.entries((await command.results?.()) ?? {});
  return [
    `### ${name} ${command.name}`,
    `${command.summary}.`,
    `\`${name} ${showSynopsis(command)}${Object.keys(command.flags).length === 0 ? '' : ' [flags]'}\``,
    ...(command.description ?? []).map(oneLine),
    ...(Object.keys(own).length === 0 ? [] : [tableOf(own)]),
    ...sharing,
    ['```sh', ...command.examples.map(([line, does]) => `${line}  # ${does}`), '```'].join('\n'),
    ...results.map(([line, shape]) => `\`${line}\`:\n\n\`\`\`\n${formatShape(shape)}\n\`\`\``),
  ].join('\n\n');
}

function tableOf(flags: Flags): string {
  const rows = Object.entries(flags).map(
    ([key, flag]) => `| \`${escapeCell(showFlag(key, flag))}\` | ${escapeCell(flag.help)} |`,
  );
  return ['| flag | what it does |', '| --- | --- |', ...rows].join('\n');
}

function formatShape(shape: ResultShape, indent = ''): string {
  if (typeof shape === 'string') return shape;
  if (Array.isArray(shape)) return `[ ${formatShape((shape as readonly [ResultShape])[0], indent)} ]`;
  const fields = Object.entries(shape).map(
    ([name, part]) => `${indent}  ${name}: ${formatShape(part, `${indent}  `)}`,
  );
  return ['{', ...fields, `${indent}}`].join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', 'commands.md'), await makeCommandsPage());
}
