import { type Command, type HelpRow, listVisible, type Program, showSynopsis } from './command.ts';
import { type Flags, longFlag, showFlag } from './flags.ts';

/** `occ --help`. */
export function formatHelp(program: Program): string {
  const { name, commonFlags, help, pages = {} } = program;
  const { about, usage, commonTitle, sections = [], examples, closing = [] } = help;
  const also: HelpRow[] = [
    ...(commonTitle === undefined ? [HELP_ROW] : []),
    ['--version', 'Print the version'],
    ...Object.entries(pages).map(([key, page]) => [longFlag(key), page.help] as const),
  ];
  return joinParts([
    paragraph(about),
    titled('Usage:', [usage]),
    titled('Commands:', columns(listVisible(program).map((one) => [showSynopsis(one), one.summary]))),
    ...(commonTitle === undefined
      ? []
      : [titled(commonTitle, columns([...describeFlags(commonFlags), HELP_ROW]))]),
    titled('Also:', columns(also)),
    ...sections.map(({ title, rows }) => titled(title, columns(rows))),
    titled('Examples:', columns(examples)),
    ...closing.map(paragraph),
    `'${name} <command> --help' explains one command.`,
  ]);
}

/** `occ edit --help`. */
export function formatCommandHelp({ name, commonFlags }: Program, command: Command): string {
  const { summary, description = [], flags, sections = [], examples } = command;
  const isCommon = (key: string) => key in commonFlags;
  const own = pickFlags(flags, (key) => !isCommon(key));
  const common = pickFlags(flags, isCommon);
  const hasCommon = Object.keys(common).length > 0;
  const ownRows = [...describeFlags(own), ...(hasCommon ? [] : [HELP_ROW])];
  return joinParts([
    `${summary}.`,
    titled('Usage:', [`${name} ${showSynopsis(command)} [flags]`]),
    ...description.map(paragraph),
    ...(ownRows.length === 0 ? [] : [titled('Flags:', columns(ownRows))]),
    ...sections.map(({ title, rows }) => titled(title, columns(rows))),
    ...(hasCommon ? [titled('Flags of every command:', columns([...describeFlags(common), HELP_ROW]))] : []),
    ...(examples.length === 0 ? [] : [titled('Examples:', columns(examples))]),
  ]);
}

/** The narrowest terminal that is common. */
const WIDTH = 80;
const GAP = '  ';
const HELP_ROW: HelpRow = ['-h, --help', 'Show this help'];

function pickFlags(flags: Flags, picks: (key: string) => boolean): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([key]) => picks(key)));
}

function describeFlags(flags: Flags): HelpRow[] {
  return Object.entries(flags).map(([key, flag]) => [showFlag(key, flag), flag.help]);
}

function paragraph(text: string): string {
  return wrapText(text, WIDTH).join('\n');
}

function titled(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `${GAP}${line}`)].join('\n');
}

function columns(rows: readonly HelpRow[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  const indent = width + GAP.length;
  return rows.map(([left, right]) =>
    wrapText(right, WIDTH - GAP.length - indent)
      .map((line, at) => (at === 0 ? left : '').padEnd(indent) + line)
      .join(`\n${GAP}`),
  );
}

/** Lines of at most `width` characters, broken between words. A word that is longer has a line of its own. */
function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function joinParts(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
