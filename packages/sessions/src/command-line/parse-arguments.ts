import { OpenBotError } from '../errors.ts';
import { findNearest } from '../terminal-text/nearest-name.ts';
import { type Command, findCommand, type Program } from './command.ts';
import { type FlagValue, readFlagValue } from './flag-value.ts';
import { bareOf, type Flag, longFlag, OWN_FLAGS, takesNextWord } from './flags.ts';
import {
  flagBeforeCommand,
  foreignFlag,
  helpHint,
  tooManyWords,
  unknownCommand,
  unknownFlag,
} from './usage-errors.ts';

export interface ParsedArguments {
  readonly command: Command;
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly words: readonly string[];
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly index: number;
  readonly value?: string;
  readonly inlineValue?: boolean;
}

/**
 * The command, its flags and its words. Flags may be anywhere before `--`. Node splits the command line into tokens;
 * what they mean is decided here.
 * @throws OpenBotError for everything that the command does not take
 */
export function parseArguments(program: Program, argv: readonly string[]): ParsedArguments {
  const { command, known, options, words: all } = splitForCommand(program, argv);
  const given = options
    .map((token) => readOption(program, command, known, argv, token))
    .filter(({ key }) => !(key in OWN_FLAGS));
  if (command === undefined) throw unknownCommand(program, all);
  const words = all.slice(command.name.split(' ').length);
  checkWords(program, command, words);
  const flags: Record<string, FlagValue> = {};
  for (const { key, value } of given) {
    const before = flags[key];
    flags[key] = Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
  }
  return { command, flags, words };
}

function splitForCommand(program: Program, argv: readonly string[]) {
  // Most begin with the command, and are split once.
  const first = argv.findIndex((word) => word.startsWith('-'));
  const guess = findCommand(program, first < 0 ? argv : argv.slice(0, first));
  if (guess !== undefined) {
    const known = listFlags([guess]);
    const split = splitArguments(argv, known);
    const isOwn = split.options.every(({ name }) => known.has(name.replace(/^no-/, '')) || known.has(name));
    if (isOwn && findCommand(program, split.words) === guess) return { command: guess, known, ...split };
  }
  const everything = listFlags(program.commands);
  const split = splitArguments(argv, everything);
  const command = findCommand(program, split.words);
  if (command === undefined) return { command, known: everything, ...split };
  // A short form may belong to other flags in other commands.
  const known = listFlags([command, ...program.commands]);
  const again = splitArguments(argv, known);
  if (findCommand(program, again.words) !== command) throw flagBeforeCommand(program, command);
  return { command, known, ...again };
}

/** By their long names. Of a name or a short form that several commands have, that of the first command counts, here and in Node. */
function listFlags(commands: readonly Command[]): ReadonlyMap<string, readonly [key: string, flag: Flag]> {
  const found = new Map<string, readonly [string, Flag]>();
  for (const [key, flag] of [OWN_FLAGS, ...commands.map(({ flags }) => flags)].flatMap(
    Object.entries<Flag>,
  )) {
    const name = longFlag(key).slice(2);
    if (!found.has(name)) found.set(name, [key, flag]);
  }
  return found;
}

function splitArguments(argv: readonly string[], known: ReturnType<typeof listFlags>) {
  // Loaded when it is needed: the module brings much that no command line uses.
  const { parseArgs } = process.getBuiltinModule('node:util');
  // Node checks every flag that it is told of: it is told of those that can be meant.
  const settings = [...known]
    .filter(([name, [, { short }]]) => short !== undefined || argv.some((word) => word.includes(name)))
    .map(([name, [, flag]]) => {
      const type: 'string' | 'boolean' = takesNextWord(flag) ? 'string' : 'boolean';
      return [name, flag.short === undefined ? { type } : { type, short: flag.short }] as const;
    });
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(settings),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return {
    options: tokens.filter((token) => token.kind === 'option') as OptionToken[],
    words: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
  };
}

function readOption(
  program: Program,
  command: Command | undefined,
  known: ReturnType<typeof listFlags>,
  argv: readonly string[],
  token: OptionToken,
): { key: string; value: FlagValue } {
  const { rawName: written, value: text } = token;
  const isNegated = !known.has(token.name) && token.name.startsWith('no-');
  const [key = '', anyFlag] = known.get(isNegated ? token.name.slice(3) : token.name) ?? [];
  const flag = command?.flags[key] ?? anyFlag;
  const word = argv[token.index]!;
  if (flag === undefined || (isNegated && !(flag.kind === 'boolean' && flag.negatable))) {
    throw unknownFlag(program, written.startsWith('--') ? written : word, word, command);
  }
  if (command !== undefined && !(key in command.flags) && !(key in OWN_FLAGS))
    throw foreignFlag(program, key, written, command);
  if (flag.kind === 'boolean') {
    if (text === undefined) return { key, value: !isNegated };
    throw new OpenBotError('USAGE', `${written} takes no value`, { hint: helpHint(program, command) });
  }
  const explainedBy = `${[program.name, ...(command === undefined ? [] : [command.name])].join(' ')} --help`;
  refuseDetachedNumber(flag, written, text, argv[token.index + 1], command);
  const value = readFlagValue({ key, flag, written, text: readText(token), explainedBy });
  return { key, value: flag.kind === 'list' ? [String(value)] : value };
}

/** Node takes every next word for the value; here a flag is none. A short flag may have `=` before its value. */
function readText({ rawName, value, inlineValue }: OptionToken): string | undefined {
  if (value === undefined || (!inlineValue && looksLikeFlag(value))) return undefined;
  return inlineValue && !rawName.startsWith('--') ? value.replace(/^=/, '') : value;
}

/** `-1` is a value, though one that few flags take; `-x` and `--x` are flags. */
function looksLikeFlag(word: string): boolean {
  return /^-[^\d.]/.test(word);
}

/** `--wait 30` would take 30 for the session. */
function refuseDetachedNumber(
  flag: Exclude<Flag, { kind: 'boolean' }>,
  written: string,
  text: string | undefined,
  next: string | undefined,
  command: Command | undefined,
): void {
  if (typeof bareOf(flag) !== 'number' || text !== undefined || !/^\d+$/.test(next ?? '')) return;
  const name = command?.positionals[0]?.name ?? 'word';
  throw new OpenBotError('USAGE', `${written} takes its ${flag.value} only after '='`, {
    hint: `Write ${written}=${next}; a ${name} that is named ${next} goes before the flag`,
  });
}

function checkWords(program: Program, command: Command, words: readonly string[]): void {
  const { positionals } = command;
  if (words.length > positionals.length && !positionals.at(-1)?.many)
    throw tooManyWords(program, command, words.slice(positionals.length));
  for (const [at, { name, choices, required }] of positionals.entries()) {
    const word = words[at];
    if (choices === undefined || (word === undefined && !required) || choices.includes(word ?? '')) continue;
    const listed = choices.join(', ');
    const nearest = word === undefined ? undefined : findNearest(word, choices);
    throw new OpenBotError(
      'USAGE',
      `The ${name} must be one of ${listed}${word === undefined ? '' : `, not '${word}'`}`,
      {
        hint:
          nearest === undefined
            ? `Example: ${program.name} ${command.name} ${choices[0]}`
            : `Did you mean ${nearest}?`,
      },
    );
  }
}
