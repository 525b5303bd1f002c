import { wrapText } from '../terminal-text/text-width.ts';
import {
  type Command,
  findCommand,
  type HelpRow,
  type HelpTopic,
  isGroup,
  listFirstWords,
  listGroup,
  listVisible,
  type Program,
  showSynopsis,
} from './command.ts';
import { type Flags, longFlag, OWN_FLAGS, showFlag } from './flags.ts';

/** `occ --help`. @param terminalColumns the text is as wide, between limits */
export function formatHelp(program: Program, terminalColumns = USUAL): string {
  const { name, commonFlags, help, pages = {}, topics = {} } = program;
  const { about, usage, commonTitle, sections = [], examples, closing = [] } = help;
  const topicRows = Object.entries(topics).map(([topic, { summary }]): HelpRow => [topic, summary]);
  const { paragraph, titled, columns } = layOutFor(terminalColumns);
  const families = listFamilies(program);
  const left = widthOf(families.flatMap(([, rows]) => rows));
  const also: HelpRow[] = [
    ...(topicRows.length === 0
      ? []
      : [['help [command|topic]', 'Explain a command, a group or a topic'] as const]),
    ...(commonTitle === undefined ? [HELP_ROW] : []),
    ['--version', 'Print the version'],
    ...Object.entries(pages).map(([key, page]) => [longFlag(key), page.help] as const),
    ...describeFlags(OWN_FLAGS),
  ];
  return joinParts([
    paragraph(about),
    titled('Usage:', [usage]),
    ...families.map(([title, rows]) => titled(title, columns(rows, left))),
    ...(commonTitle === undefined
      ? []
      : [titled(commonTitle, columns([...describeFlags(commonFlags), HELP_ROW]))]),
    titled('Also:', columns(also)),
    ...sections.map(({ title, rows }) => titled(title, columns(rows))),
    ...(topicRows.length === 0 ? [] : [titled('Topics of help:', columns(topicRows))]),
    titled('Examples:', columns(examples)),
    ...closing.map(paragraph),
    paragraph(`'${name} <command> --help' explains one command.`),
  ]);
}

function listFamilies(program: Program): (readonly [title: string, rows: readonly HelpRow[]])[] {
  const { families } = program.help;
  if (families === undefined) return [['Commands:', rowsOf(listVisible(program))]];
  const words = listFirstWords(program);
  const placed = new Set(families.flatMap((family) => family.words));
  const last = { title: 'Further commands:', words: words.filter((word) => !placed.has(word)) };
  return [...families, last].flatMap((family) => {
    const there = family.words.filter((word) => words.includes(word));
    return there.length === 0 ? [] : [[family.title, there.map((word) => rowOf(program, word))] as const];
  });
}

/** A command, or a group with the names of its commands. */
function rowOf(program: Program, word: string): HelpRow {
  const command = findCommand(program, [word]);
  if (!isGroup(program, word)) return [showSynopsis(command!), command!.summary];
  const names = listGroup(program, word).map(({ name }) => name.slice(word.length + 1));
  const summary = command?.summary ?? program.help.groups?.[word] ?? 'Its commands';
  return [`${word} ${command === undefined ? '<command>' : '[command]'}`, `${summary}: ${names.join(', ')}`];
}

const rowsOf = (commands: readonly Command[]) =>
  commands.map((one): HelpRow => [showSynopsis(one), one.summary]);

/** `openbot cc --help`, of a group that is no command itself. */
export function formatGroupHelp(program: Program, group: string, terminalColumns = USUAL): string {
  const { paragraph, titled, columns } = layOutFor(terminalColumns);
  const commands = listGroup(program, group);
  const summary = program.help.groups?.[group];
  return joinParts([
    ...(summary === undefined ? [] : [paragraph(`${summary}.`)]),
    titled('Usage:', [`${program.name} ${group} <command> [flags]`]),
    titled('Commands:', columns(rowsOf(commands))),
    titled('Examples:', columns(commands.flatMap(({ examples }) => examples.slice(0, 1)))),
    paragraph(`'${program.name} ${group} <command> --help' explains one command.`),
  ]);
}

/** `openbot help configuration`. */
export async function formatTopic(topic: HelpTopic, terminalColumns = USUAL): Promise<string> {
  const { paragraph, titled, columns } = layOutFor(terminalColumns);
  const parts = await topic.load();
  return joinParts([
    paragraph(`${topic.summary}.`),
    ...parts.map((part) =>
      typeof part === 'string' ? paragraph(part) : titled(part.title, columns(part.rows)),
    ),
  ]);
}

/** `occ edit --help`. */
export function formatCommandHelp(program: Program, command: Command, terminalColumns = USUAL): string {
  const { name, commonFlags } = program;
  const { summary, description = [], flags, sections = [], examples } = command;
  const { paragraph, titled, columns } = layOutFor(terminalColumns);
  const isCommon = (key: string) => key in commonFlags;
  const own = pickFlags(flags, (key) => !isCommon(key));
  const common = pickFlags(flags, isCommon);
  const everywhere = [...describeFlags({ ...common, ...OWN_FLAGS }), HELP_ROW];
  const hasCommon = Object.keys(common).length > 0;
  const ownRows = [...describeFlags(own), ...(hasCommon ? [] : everywhere)];
  const group = listGroup(program, command.name);
  return joinParts([
    paragraph(`${summary}.`),
    titled('Usage:', [`${name} ${showSynopsis(command)} [flags]`]),
    ...description.map(paragraph),
    ...(ownRows.length === 0 ? [] : [titled('Flags:', columns(ownRows))]),
    ...(group.length === 0 ? [] : [titled('Commands:', columns(rowsOf(group)))]),
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
    columns: (rows: readonly HelpRow[], left = widthOf(rows)) =>
      columnsWithin(width - GAP.length, rows, left),
  };
}

function pickFlags(flags: Flags, picks: (key: string) => boolean): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([key]) => picks(key)));
}

function describeFlags(flags: Flags): HelpRow[] {
  return Object.entries(flags).map(([key, flag]) => [showFlag(key, flag), flag.help]);
}

const widthOf = (rows: readonly HelpRow[]) => Math.max(0, ...rows.map(([left]) => left.length));

function columnsWithin(width: number, rows: readonly HelpRow[], leftWidth: number): string[] {
  const indent = leftWidth + GAP.length;
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
