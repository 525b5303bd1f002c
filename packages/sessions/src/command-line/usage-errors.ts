import { OpenBotError } from '../errors.ts';
import { findNearest } from '../terminal-text/nearest-name.ts';
import { quoteForShell } from '../terminal-text/quote-for-shell.ts';
import { type Command, isGroup, listFirstWords, listGroup, listVisible, type Program } from './command.ts';
import { longFlag, OWN_FLAGS } from './flags.ts';

/** @param topics further names that the words could have meant */
export function unknownCommand(
  program: Program,
  words: readonly string[],
  topics: readonly string[] = [],
): OpenBotError {
  const [first, second] = words;
  const hint = `'${program.name} --help' lists the commands${topics.length === 0 ? '' : ' and topics'}`;
  if (first === undefined) return new OpenBotError('USAGE', 'No command given', { hint });
  const inGroup = isGroup(program, first);
  const given = inGroup && second !== undefined ? `${first} ${second}` : first;
  const others = listGroup(program, first).map(({ name }) => name.slice(first.length + 1));
  const otherwise = inGroup ? `'${program.name} ${first}' has ${joinNames(others)}; ${hint}` : hint;
  const what = topics.length === 0 || inGroup ? 'command' : 'command or topic';
  return new OpenBotError('USAGE', `Unknown ${what}: ${given}`, {
    hint: suggest(findMeant(program, first, second, topics), otherwise),
  });
}

function findMeant(
  program: Program,
  first: string,
  second: string | undefined,
  topics: readonly string[],
): string | undefined {
  const group = isGroup(program, first) ? first : findNearest(first, listFirstWords(program));
  const meant = second === undefined || group === undefined ? undefined : findInGroup(program, group, second);
  if (meant !== undefined || group === first) return meant;
  return (
    // `show` for `sessions show`.
    listVisible(program).find(({ name }) => name.split(' ')[1] === first)?.name ??
    findNearest(first, [...listFirstWords(program), ...topics].filter(isHarmless))
  );
}

function findInGroup(program: Program, group: string, word: string): string | undefined {
  const names = listGroup(program, group).map(({ name }) => name.slice(group.length + 1));
  const nearest = names.includes(word) ? word : findNearest(word, names.filter(isHarmless));
  return nearest === undefined ? undefined : `${group} ${nearest}`;
}

/** A guess is soon typed: what takes something away is named only to those who wrote it. */
const isHarmless = (word: string) => !/^(compact|delete|drop|prune|remove|reset)$/.test(word);

/** @param word the whole word on the command line */
export function unknownFlag(
  program: Program,
  written: string,
  word: string,
  command: Command | undefined,
): OpenBotError {
  const [positional] = command?.positionals ?? [];
  if (command !== undefined && positional !== undefined && /^-\S*\s/.test(word) && !word.includes('=')) {
    return new OpenBotError('USAGE', `'${word}' begins with a dash, so it was taken for a flag`, {
      hint: `Put -- before the ${positional.name}, after all flags: ${program.name} ${command.name} -- ${quoteForShell(word)}`,
    });
  }
  const keys = command === undefined ? listKeys(listVisible(program)) : listKeys([command]);
  if (written === '-v' && keys.includes('verbose')) {
    return new OpenBotError('USAGE', 'Unknown flag: -v', { hint: 'Did you mean --verbose or --version?' });
  }
  const own = ['help', 'version', ...Object.keys(OWN_FLAGS), ...Object.keys(program.pages ?? {})];
  const names = [...keys, ...own].map(longFlag);
  if (names.includes(written))
    return new OpenBotError('USAGE', `${written} takes no value`, { hint: helpHint(program, command) });
  const nearest = written.startsWith('--') ? findNearest(written, names) : undefined;
  return new OpenBotError('USAGE', `Unknown flag: ${written}`, {
    hint: suggest(nearest, helpHint(program, command)),
  });
}

/** A flag that other commands have. */
export function foreignFlag(program: Program, key: string, written: string, command: Command): OpenBotError {
  const others = listVisible(program).filter((one) => one !== command && Object.keys(one.flags).length > 0);
  const isOwner = ({ flags }: Command) =>
    written.startsWith('--')
      ? key in flags
      : Object.values(flags).some(({ short }) => short === written.slice(1));
  const owners = others.filter(isOwner);
  if (owners.length === 0) return unknownFlag(program, written, written, command);
  const names = joinNames(owners.map(({ name }) => `'${program.name} ${name}'`));
  const whose =
    owners.length === others.length && owners.length > 1
      ? 'Most other commands have it'
      : `${names} ${owners.length === 1 ? 'has' : 'have'} it`;
  return new OpenBotError('USAGE', `'${program.name} ${command.name}' has no flag ${written}`, {
    hint: `${whose}; ${helpHint(program, command)}`,
  });
}

/** `-x word command`, where only some of the commands with -x take a word after it. */
export function flagBeforeCommand(program: Program, command: Command): OpenBotError {
  return new OpenBotError('USAGE', `A flag before '${command.name}' has another meaning in other commands`, {
    hint: `Put it after the command: ${program.name} ${command.name} …`,
  });
}

export function tooManyWords(program: Program, command: Command, extra: readonly string[]): OpenBotError {
  const [first] = command.positionals;
  // `sessions shwo`: the command takes no word, so a command of its group is meant.
  if (first === undefined && isGroup(program, command.name))
    return unknownCommand(program, [command.name, ...extra]);
  const shown = extra.map((word) => `'${word}'`).join(', ');
  return new OpenBotError('USAGE', `Unexpected ${extra.length === 1 ? 'word' : 'words'}: ${shown}`, {
    hint: suggest(
      findMeantFlag(program, command, extra),
      [
        `'${program.name} ${command.name}' takes ${first === undefined ? 'flags only' : `one ${first.name}`}`,
        ...(extra[0]!.startsWith('-') ? ['words after -- are not flags, so put flags before it'] : []),
        ...(first?.whenTooMany === undefined ? [] : [first.whenTooMany]),
        helpHint(program, command),
      ].join('; '),
    ),
  });
}

/** `agent hello` for `agent -m hello`. */
function findMeantFlag(
  program: Program,
  { name, flags, wordsMean: key }: Command,
  extra: readonly string[],
): string | undefined {
  if (key === undefined) return undefined;
  const short = flags[key]?.short;
  const flag = short === undefined ? longFlag(key) : `-${short}`;
  return [program.name, name, flag, quoteForShell(extra.join(' '))].join(' ');
}

export function helpHint(program: Program, command: Command | undefined): string {
  return command === undefined
    ? `'${program.name} --help' lists the commands and flags`
    : `'${program.name} ${command.name} --help' lists its flags`;
}

function listKeys(commands: readonly Command[]): string[] {
  return [...new Set(commands.flatMap(({ flags }) => Object.keys(flags)))];
}

function suggest(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `Did you mean ${nearest}? ${otherwise}`;
}

function joinNames(names: readonly string[]): string {
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
