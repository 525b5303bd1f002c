import { type Command, listVisible, type Program } from './command.ts';
import { type Flag, longFlag, OWN_FLAGS } from './flags.ts';

/** One thing to complete. */
export interface Item {
  readonly text: string;
  readonly help: string;
}

/** What can follow some words: `''` at the beginning, `cc`, `cc list`. */
interface CompletionState {
  readonly said: string;
  readonly words: readonly Item[];
  readonly flags: readonly Item[];
}

/** Longer ones first, so that the first that fits is the right one. */
export function listStates(program: Program): CompletionState[] {
  const commands = listVisible(program);
  const groups = [...new Set(commands.flatMap(({ name }) => /^(\S+) /.exec(name)?.[1] ?? []))];
  const pages = Object.entries(program.pages ?? {}).map(([key, { help }]) => ({ text: longFlag(key), help }));
  const first = commands.map(({ name, summary }) => ({ text: name.split(' ')[0]!, help: summary }));
  const start: CompletionState = {
    said: '',
    words: first.filter(({ text }, at) => first.findIndex((one) => one.text === text) === at),
    flags: [...OWN, { text: '--version', help: 'Print the version' }, ...pages],
  };
  const ofGroup = (group: string): CompletionState => ({
    said: group,
    words: commands
      .filter(({ name }) => name.startsWith(`${group} `))
      .map(({ name, summary }) => ({ text: name.slice(group.length + 1), help: summary })),
    flags: OWN,
  });
  const ofCommand = ({ name, flags, positionals }: Command): CompletionState => ({
    said: name,
    words: (positionals[0]?.choices ?? []).map((text) => ({ text, help: '' })),
    flags: [...Object.entries(flags).flatMap(([key, flag]) => listItems(key, flag)), ...OWN],
  });
  return [...commands.map(ofCommand), ...groups.map(ofGroup), start];
}

const OWN: readonly Item[] = [
  ...Object.entries(OWN_FLAGS).flatMap(([key, flag]) => listItems(key, flag)),
  { text: '--help', help: 'Show the help' },
];

function listItems(key: string, flag: Flag): Item[] {
  const long = { text: longFlag(key), help: flag.help };
  const isNegatable = flag.kind === 'boolean' && flag.negatable;
  return isNegatable
    ? [long, { text: long.text.replace('--', '--no-'), help: `Turn off ${long.text}` }]
    : [long];
}

export interface KnownFlag {
  readonly names: readonly string[];
  readonly flag: Flag;
}

/** Of all commands. A flag is the same kind of thing wherever it occurs. */
export function listKnown(program: Program): KnownFlag[] {
  const entries = new Map(listVisible(program).flatMap(({ flags }) => Object.entries(flags)));
  return [...entries].map(([key, flag]) => ({
    names: [longFlag(key), ...(flag.short === undefined ? [] : [`-${flag.short}`])],
    flag,
  }));
}
