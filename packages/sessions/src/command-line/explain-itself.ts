import { findCommand, isGroup, type Program } from './command.ts';
import { formatCommandHelp, formatGroupHelp, formatHelp, formatTopic } from './help.ts';
import { unknownCommand } from './usage-errors.ts';

/**
 * Help, the version and the pages: they win over everything else on the line. Undefined for a line that asks for none.
 * @param words the command line up to `--`
 */
export async function explainItself(
  program: Program,
  words: readonly string[],
  columns: number,
): Promise<string | undefined> {
  const names = words.filter((word) => !word.startsWith('-'));
  const isGroupOnly = isGroup(program, words[0]) && findCommand(program, words.slice(0, 1)) === undefined;
  if (words.length === 0) return formatHelp(program, columns);
  if (words[0] === 'help') return explainNamed(program, names.slice(1), columns);
  if (words.includes('--help') || words.includes('-h')) return explainLine(program, names, words, columns);
  if (isGroupOnly && words[1] === undefined) return formatGroupHelp(program, words[0]!, columns);
  if (isGroup(program, words[0]) && words[1] === 'help')
    return explainNamed(program, [words[0]!, ...words.slice(2)], columns);
  if (words.includes('--version') || words.includes('-V')) return `${program.version()}\n`;
  return Object.entries(program.pages ?? {}).find(([name]) => words.includes(`--${name}`))?.[1].text;
}

/** `help`, `help cc`, `help cc list`, `help configuration`. */
async function explainNamed(program: Program, names: readonly string[], columns: number): Promise<string> {
  const [first] = names;
  if (first === undefined) return formatHelp(program, columns);
  const topic = program.topics?.[first];
  const command = findCommand(program, names);
  // `sessions` may be both: the command says more of its use, and lists its own commands.
  if (command !== undefined) return formatCommandHelp(program, command, columns);
  if (isGroup(program, first) && (names[1] === undefined || names[1] === 'help'))
    return formatGroupHelp(program, first, columns);
  if (topic !== undefined) return formatTopic(topic, columns);
  throw unknownCommand(program, names, Object.keys(program.topics ?? {}));
}

/** Of the command that the line begins with, or names somewhere: the value of a flag may precede it. */
function explainLine(
  program: Program,
  names: readonly string[],
  words: readonly string[],
  columns: number,
): string | Promise<string> {
  if (names.length === 0) return formatHelp(program, columns);
  if (findCommand(program, names) !== undefined || !words[0]?.startsWith('-'))
    return explainNamed(program, names, columns);
  const later = names.flatMap((_, at) => findCommand(program, names.slice(at)) ?? [])[0];
  return later === undefined ? formatHelp(program, columns) : formatCommandHelp(program, later, columns);
}
