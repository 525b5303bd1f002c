import { OpenBotError } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { Flags } from '../commands/command.ts';
import {
  ALL_COMMAND_NAMES,
  ALL_FLAGS,
  CLEANING_FLAGS,
  COMMAND_NAMES,
  type CommandName,
  type FlagSpec,
  listFlags,
} from './flag-table.ts';
import { readFlagValue } from './flag-value.ts';

export interface ParsedArguments {
  readonly command: CommandName;
  readonly flags: Flags;
  readonly words: readonly string[];
}

/** How many words a command takes: the session, or none. */
export const WORDS_TAKEN: Readonly<Record<CommandName, 0 | 1>> = {
  edit: 1,
  clone: 1,
  list: 0,
  info: 1,
  restore: 1,
  demo: 0,
};

/** The command, its flags and its words. Throws OpenBotError for whatever does not belong there. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const given: { spec: FlagSpec; written: string; value: unknown }[] = [];
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === '--') {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const { spec, written, attached, negated } = recognizeFlag(word, findCommand(words));
    if (spec.value === undefined) {
      if (attached !== undefined)
        throw new OpenBotError('USAGE', `${written} takes no value`, { hint: helpHint(findCommand(words)) });
      given.push({ spec, written, value: !negated });
    } else if (spec.value.optional) {
      refuseDetachedNumber(spec, written, attached, argv[index + 1]);
      given.push({ spec, written, value: readFlagValue(spec, written, attached, findCommand(words)) });
    } else {
      const next = argv[index + 1];
      const detached = attached === undefined && next !== undefined && !looksLikeFlag(next);
      if (detached) index++;
      const text = detached ? next : attached;
      given.push({ spec, written, value: readFlagValue(spec, written, text, findCommand(words)) });
    }
  }

  const command = readCommand(words.shift());
  const allowed = listFlags(command);
  for (const { spec, written } of given) {
    if (!allowed.some(({ key }) => key === spec.key)) throw refuseForeignFlag(spec, written, command);
  }
  refuseExtraWords(command, words);
  const flags = Object.fromEntries(given.map(({ spec, value }) => [spec.key, value])) as Flags;
  return { command, flags, words };
}

interface RecognizedFlag {
  readonly spec: FlagSpec;
  /** The flag as it stands on the command line, without its value. */
  readonly written: string;
  /** The value that stands in the same word. */
  readonly attached: string | undefined;
  readonly negated: boolean;
}

function recognizeFlag(word: string, command: CommandName | undefined): RecognizedFlag {
  const equals = word.indexOf('=');
  if (!word.startsWith('--')) {
    const spec = ALL_FLAGS.find(({ short }) => short === word[1]);
    if (!spec) throw refuseUnknownFlag(word, command);
    const rest = word.slice(2).replace(/^=/, '');
    return { spec, written: word.slice(0, 2), attached: word.length > 2 ? rest : undefined, negated: false };
  }
  const written = equals < 0 ? word : word.slice(0, equals);
  const attached = equals < 0 ? undefined : word.slice(equals + 1);
  const name = written.slice(2);
  const spec = ALL_FLAGS.find((candidate) => candidate.name === name);
  if (spec) return { spec, written, attached, negated: false };
  const negatable = ALL_FLAGS.find((candidate) => candidate.negatable && `no-${candidate.name}` === name);
  if (negatable) return { spec: negatable, written, attached, negated: true };
  throw refuseUnknownFlag(written, command);
}

/** `-1` is a value, though one that no flag takes; `-x` and `--x` are flags. */
function looksLikeFlag(word: string): boolean {
  return /^-[^\d.]/.test(word);
}

/** `--wait 30` would take 30 for the session. */
function refuseDetachedNumber(
  spec: FlagSpec,
  written: string,
  attached: string | undefined,
  next: string | undefined,
): void {
  if (spec.value?.kind !== 'seconds' || attached !== undefined || !/^\d+$/.test(next ?? '')) return;
  throw new OpenBotError('USAGE', `${written} takes its ${spec.value.placeholder} only after '='`, {
    hint: `Write ${written}=${next}; a session that is named ${next} stands before the flag`,
  });
}

function findCommand(words: readonly string[]): CommandName | undefined {
  return ALL_COMMAND_NAMES.find((name) => name === words[0]);
}

/** Throws OpenBotError for what is no command. */
export function readCommand(word: string | undefined): CommandName {
  if (word === undefined)
    throw new OpenBotError('USAGE', 'No command given', { hint: "'occ --help' lists the commands" });
  const command = findCommand([word]);
  if (command) return command;
  throw new OpenBotError('USAGE', `Unknown command: ${word}`, {
    hint: suggest(findNearest(word, COMMAND_NAMES), "'occ --help' lists the commands"),
  });
}

function refuseUnknownFlag(written: string, command: CommandName | undefined): OpenBotError {
  const known = command === undefined ? ALL_FLAGS : listFlags(command);
  if (written === '-v') {
    return new OpenBotError('USAGE', 'Unknown flag: -v', { hint: 'Did you mean --verbose or --version?' });
  }
  const names = [...known.map(({ name }) => `--${name}`), '--help', '--version', '--quickstart'];
  const nearest = written.startsWith('--') ? findNearest(written, names) : undefined;
  return new OpenBotError('USAGE', `Unknown flag: ${written}`, { hint: suggest(nearest, helpHint(command)) });
}

function refuseForeignFlag(spec: FlagSpec, written: string, command: CommandName): OpenBotError {
  const owners = COMMAND_NAMES.filter((name) => listFlags(name).some(({ key }) => key === spec.key));
  const names = owners.map((name) => `'occ ${name}'`);
  const whose =
    owners.length === COMMAND_NAMES.length - 1
      ? 'All other commands have it'
      : `${joinNames(names)} ${owners.length === 1 ? 'has' : 'have'} it`;
  return new OpenBotError('USAGE', `'occ ${command}' has no flag ${written}`, {
    hint: `${whose}; ${helpHint(command)}`,
  });
}

function joinNames(names: readonly string[]): string {
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function refuseExtraWords(command: CommandName, words: readonly string[]): void {
  const taken = WORDS_TAKEN[command];
  if (words.length <= taken) return;
  const extra = words.slice(taken).map((word) => `'${word}'`);
  const cleans = CLEANING_FLAGS.some((spec) => listFlags(command).includes(spec));
  throw new OpenBotError(
    'USAGE',
    `Unexpected ${extra.length === 1 ? 'word' : 'words'}: ${extra.join(', ')}`,
    {
      hint: [
        `'occ ${command}' takes ${taken === 0 ? 'flags only' : 'one session'}`,
        ...(cleans ? ['a preset is given as --strip-tools=<preset>'] : []),
        helpHint(command),
      ].join('; '),
    },
  );
}

function suggest(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `Did you mean ${nearest}? ${otherwise}`;
}

function helpHint(command: CommandName | undefined): string {
  return command === undefined
    ? "'occ --help' lists what there is"
    : `'occ ${command} --help' lists its flags`;
}
