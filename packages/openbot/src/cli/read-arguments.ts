import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.ts';
import { COMMANDS, type CommandSpec } from './command-table.ts';

export type Request =
  | { readonly kind: 'help'; readonly about: CommandSpec | undefined }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly spec: CommandSpec;
      readonly words: readonly string[];
      readonly flags: Readonly<Record<string, string | boolean | undefined>>;
    };

/** @throws UsageError */
export function readArguments(args: readonly string[]): Request {
  const spec = COMMANDS.find(({ name }) => isBeginning(name.split(' '), args));
  if (spec === undefined) return readWithoutCommand(args);
  const rest = args.slice(spec.name.split(' ').length);
  const { values, positionals } = parse(spec, rest);
  if (values.help) return { kind: 'help', about: spec };
  if (positionals.length > spec.mostWords) {
    throw new UsageError(
      `openbot ${spec.name} does not take '${positionals[spec.mostWords]}'`,
      spec.mostWords === 0
        ? `See: openbot ${spec.name} --help`
        : 'Put what belongs together between quotation marks',
    );
  }
  return { kind: 'command', spec, words: positionals, flags: values };
}

function parse(spec: CommandSpec, args: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { type, short }] of Object.entries(spec.flags)) {
    options[name] = short === undefined ? { type } : { type, short };
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as Record<string, string | boolean | undefined>, positionals };
  } catch (error) {
    // Its further sentences explain how to write what is rarely meant.
    const [sentence = ''] = (error as Error).message.split(/\. (?=[A-Z])/);
    throw new UsageError(sentence, `See: openbot ${spec.name} --help`);
  }
}

function readWithoutCommand(args: readonly string[]): Request {
  const [first] = args;
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    return { kind: 'help', about: undefined };
  }
  const groups = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!))];
  if (groups.includes(first)) {
    const [, second] = args;
    if (second === undefined || second === '--help' || second === '-h')
      return { kind: 'help', about: undefined };
    throw unknown(`${first} ${second}`);
  }
  throw unknown(first);
}

function unknown(name: string): UsageError {
  const known = COMMANDS.map((spec) => spec.name).join(', ');
  return new UsageError(`There is no command '${name}'`, `There are: ${known}. See: openbot --help`);
}

function isBeginning(words: readonly string[], args: readonly string[]): boolean {
  return words.every((word, index) => args[index] === word);
}
