import { OpenBotError } from '../errors.ts';
import { findNearest } from '../terminal-text/nearest-name.ts';
import { quoteForShell } from '../terminal-text/quote-for-shell.ts';
import { type Command, isGroup, listVisible, type Program } from './command.ts';
import { longFlag, OWN_FLAGS } from './flags.ts';

export function unknownCommand(program: Program, words: readonly string[]): OpenBotError {
  const [first] = words;
  const hint = `'${program.name} --help' lists the commands`;
  if (first === undefined) return new OpenBotError('USAGE', 'No command given', { hint });
  const names = listVisible(program).map(({ name }) => name);
  const inGroup = isGroup(program, first);
  const given = inGroup && words[1] !== undefined ? `${first} ${words[1]}` : first;
  const others = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1]!);
  const otherwise = inGroup ? `'${program.name} ${first}' has ${joinNames(others)}; ${hint}` : hint;
  return new OpenBotError('USAGE', `Unknown command: ${given}`, {
    hint: suggest(findNearest(given, names), otherwise),
  });
}

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
  const nearest = written.startsWith('--') ? findNearest(written, names) : undefined;
  return new OpenBotError('USAGE', `Unknown flag: ${written}`, {
    hint: suggest(nearest, helpHint(program, command)),
  });
}

/** A flag that other commands have. */
export function foreignFlag(program: Program, key: string, written: string, command: Command): OpenBotError {
  const others = listVisible(program).filter((one) => one !== command && Object.keys(one.flags).length > 0);
  const owners = others.filter(({ flags }) => key in flags);
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

export function tooManyWords(program: Program, command: Command, extra: readonly string[]): OpenBotError {
  const [first] = command.positionals;
  const shown = extra.map((word) => `'${word}'`).join(', ');
  return new OpenBotError('USAGE', `Unexpected ${extra.length === 1 ? 'word' : 'words'}: ${shown}`, {
    hint: [
      `'${program.name} ${command.name}' takes ${first === undefined ? 'flags only' : `one ${first.name}`}`,
      ...(extra[0]!.startsWith('-') ? ['words after -- are not flags, so put flags before it'] : []),
      ...(first?.whenTooMany === undefined ? [] : [first.whenTooMany]),
      helpHint(program, command),
    ].join('; '),
  });
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
