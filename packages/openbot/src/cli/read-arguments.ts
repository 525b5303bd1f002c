import { type ParseArgsConfig, parseArgs } from 'node:util';
import { OpenBotError } from '@openbot/sessions';
import type { FlagValue } from '../commands/command.ts';
import { COMMANDS, type CommandSpec } from './command-table.ts';

export type Request =
  | { readonly kind: 'help'; readonly about: CommandSpec | undefined }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly spec: CommandSpec;
      readonly words: readonly string[];
      readonly flags: Readonly<Record<string, FlagValue>>;
    };

/** @throws OpenBotError */
export function readArguments(args: readonly string[]): Request {
  const spec = findCommand(args);
  if (spec === undefined) return readWithoutCommand(args);
  const rest = args.slice(spec.name.split(' ').length);
  const { values, positionals } = parse(spec, rest);
  if (values.help) return { kind: 'help', about: spec };
  const extra = positionals[spec.mostWords];
  if (extra !== undefined) {
    throw new OpenBotError('USAGE', `openbot ${spec.name} does not take '${extra}'`, {
      hint: explainExtra(spec, extra),
    });
  }
  return { kind: 'command', spec, words: positionals, flags: values };
}

function explainExtra({ name, mostWords }: CommandSpec, extra: string): string {
  if (mostWords === 0) return `See: openbot ${name} --help`;
  return extra.startsWith('-')
    ? 'What follows -- is no flag; put flags before it'
    : 'Put what belongs together between quotation marks';
}

function parse(spec: CommandSpec, args: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { type, short, isList = false }] of Object.entries(spec.flags)) {
    options[name] = { type, multiple: isList };
    // parseArgs refuses `short: undefined`.
    if (short !== undefined) options[name].short = short;
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as Record<string, FlagValue>, positionals };
  } catch (error) {
    throw explainRefusal(spec, args, error as Error & { code?: string });
  }
}

function explainRefusal(
  spec: CommandSpec,
  args: readonly string[],
  error: Error & { code?: string },
): OpenBotError {
  const end = args.indexOf('--');
  const sentence = args.find((arg, at) => /^-\S*\s/.test(arg) && (end < 0 || at < end) && !arg.includes('='));
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && spec.mostWords > 0 && sentence !== undefined) {
    return new OpenBotError('USAGE', `'${sentence}' begins with a dash, so it was taken for a flag`, {
      hint: `Put -- before the task, after all flags: openbot ${spec.name} -- "- fix this"`,
    });
  }
  const [, flag] =
    /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(error.message) ?? [];
  if (flag !== undefined) {
    return new OpenBotError('USAGE', `${flag} wants a value`, {
      hint: `One that begins with a dash is written ${flag}=-…`,
    });
  }
  // Its further sentences explain how to write what is rarely meant.
  const [first = ''] = error.message.split(/\.\s+(?=[A-Z])/);
  return new OpenBotError('USAGE', first, { hint: `See: openbot ${spec.name} --help` });
}

function readWithoutCommand(args: readonly string[]): Request {
  const [first, second] = args;
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help', about: undefined };
  if (first === 'help') {
    const names = args.slice(1).filter((arg) => !arg.startsWith('-'));
    const about = findCommand(names);
    const isKnown = names.length === 0 || (names.length === 1 && isGroup(names[0]!));
    if (about !== undefined || isKnown) return { kind: 'help', about };
    throw unknown(isGroup(names[0]!) ? names.slice(0, 2).join(' ') : names[0]!);
  }
  if (first.startsWith('-')) throw refuseFlagFirst(first, args.slice(1));
  if (!isGroup(first)) throw unknown(first);
  if (second === undefined || ['help', '--help', '-h'].includes(second)) {
    return { kind: 'help', about: undefined };
  }
  throw unknown(`${first} ${second}`);
}

function refuseFlagFirst(flag: string, rest: readonly string[]): OpenBotError {
  const name = findCommand(rest)?.name ?? '<command>';
  return new OpenBotError('USAGE', `'${flag}' stands before the command`, {
    hint: `Flags follow it: openbot ${name} ${flag}`,
  });
}

function findCommand(args: readonly string[]): CommandSpec | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

function isGroup(word: string): boolean {
  return COMMANDS.some(({ name }) => name.startsWith(`${word} `));
}

function unknown(name: string): OpenBotError {
  const known = COMMANDS.map((spec) => spec.name).join(', ');
  return new OpenBotError('USAGE', `There is no command '${name}'`, {
    hint: `There are: ${known}. See: openbot --help`,
  });
}
