import { wrapText } from '../terminal-text/text-width.ts';
import { type Command, type HelpRow, listVisible, type Program, showSynopsis } from './command.ts';
import { type Flags, longFlag, OWN_FLAGS, showFlag } from './flags.ts';

/** `occ --help`. @param terminalColumns the text is as wide, between limits */
export function formatHelp(program: Program, terminalColumns = USUAL): string {
  const { name, commonFlags, help, pages = {} } = program;
  const { about, usage, commonTitle, sections = [], examples, closing = [] } = help;
  const { paragraph, titled, columns } = layOutFor(terminalColumns);
  const also: HelpRow[] = [
    ...(commonTitle === undefined ? [HELP_ROW] : []),
    ['--version', 'Print the version'],
    ...Object.entries(pages).map(([key, page]) => [longFlag(key), page.help] as const),
    ...describeFlags(OWN_FLAGS),
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
    paragraph(`'${name} <command> --help' explains one command.`),
  ]);
}

/** `occ edit --help`. */
export function formatCommandHelp(
  { name, commonFlags }: Program,
  command: Command,
  terminalColumns = USUAL,
): string {
  const { summary, description = [], flags, sections = [], examples } = command;
  const { paragraph, titled, columns } = layOutFor(terminalColumns);
  const isCommon = (key: string) => key in commonFlags;
  const own = pickFlags(flags, (key) => !isCommon(key));
  const common = pickFlags(flags, isCommon);
  const everywhere = [...describeFlags({ ...common, ...OWN_FLAGS }), HELP_ROW];
  const hasCommon = Object.keys(common).length > 0;
  const ownRows = [...describeFlags(own), ...(hasCommon ? [] : everywhere)];
  return joinParts([
    paragraph(`${summary}.`),
    titled('Usage:', [`${name} ${showSynopsis(command)} [flags]`]),
    ...description.map(paragraph),
    ...(ownRows.length === 0 ? [] : [titled('Flags:', columns(ownRows))]),
    ...sections.map(({ title, rows }) => titled(title, columns(rows))),
    ...(hasCommon ? [titled('Common flags:', columns(everywhere))] : []),
    ...(examples.length === 0 ? [] : [titled('Examples:', columns(examples))]),
  ]);
}

const USUAL = 80;
/** Longer lines are hard to read. */
const WIDEST = 100;
const NARROWEST = 40;
/** With less room beside the left column, the texts go below it. */
const LEAST_BESIDE = 28;
const GAP = '  ';
const HELP_ROW: HelpRow = ['-h, --help', 'Show this help'];

function layOutFor(terminalColumns: number) {
  const width = Math.max(NARROWEST, Math.min(WIDEST, terminalColumns));
  const paragraph = (text: string) => wrapText(text, width).join('\n');
  return {
    paragraph,
    titled: (title: string, lines: readonly string[]) =>
      [paragraph(title), ...lines.map((line) => `${GAP}${line}`)].join('\n'),
    columns: (rows: readonly HelpRow[]) => columnsWithin(width - GAP.length, rows),
  };
}

function pickFlags(flags: Flags, picks: (key: string) => boolean): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([key]) => picks(key)));
}

function describeFlags(flags: Flags): HelpRow[] {
  return Object.entries(flags).map(([key, flag]) => [showFlag(key, flag), flag.help]);
}

function columnsWithin(width: number, rows: readonly HelpRow[]): string[] {
  const indent = Math.max(...rows.map(([left]) => left.length)) + GAP.length;
  if (width - indent < LEAST_BESIDE) {
    return rows.flatMap(([left, right]) => [
      left,
      ...wrapText(right, width - 2 * GAP.length).map((line) => `${GAP}${GAP}${line}`),
    ]);
  }
  return rows.flatMap(([left, right]) =>
    wrapText(right, width - indent).map((line, at) => (at === 0 ? left : '').padEnd(indent) + line),
  );
}

function joinParts(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
