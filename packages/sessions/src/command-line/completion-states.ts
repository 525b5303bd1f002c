import {
  type Command,
  findCommand,
  isGroup,
  listFirstWords,
  listGroup,
  listVisible,
  type Program,
} from './command.ts';
import { type Flag, longFlag, OWN_FLAGS, takesNextWord, valuesOf } from './flags.ts';

/** One thing to complete. */
export interface Item {
  readonly text: string;
  readonly help: string;
}

/** What can follow some words: `''` at the beginning, `cc`, `cc list`. */
interface CompletionState {
  readonly said: string;
  readonly words: readonly Item[];
  /** What `complete` is asked for beside the words. */
  readonly kind?: string;
  readonly flags: readonly Item[];
}

/** The command that lists what only the program knows: `post complete session -- show --agent ops`. */
export const ASKED = 'complete';

const asks = ({ commands }: Program) => commands.some(({ name }) => name === ASKED);

/** Longer ones first, so that the first that fits is the right one. */
export function listStates(program: Program): CompletionState[] {
  const words = listFirstWords(program);
  const topics = Object.entries(program.topics ?? {}).map(([text, { summary: help }]) => ({ text, help }));
  const first = words.map((text) => ({
    text,
    help: findCommand(program, [text])?.summary ?? program.help.groups?.[text] ?? '',
  }));
  const pages = Object.entries(program.pages ?? {}).map(([key, { help }]) => ({ text: longFlag(key), help }));
  const helps: Item[] = topics.length === 0 ? [] : [{ text: 'help', help: 'Explain a command or a topic' }];
  const start: CompletionState = {
    said: '',
    words: [...first, ...helps],
    flags: [...OWN, { text: '--version', help: 'Print the version' }, ...pages],
  };
  return [
    ...listVisible(program)
      .filter(({ name }) => name.includes(' '))
      .map((command) => stateOf(program, command)),
    ...words.map((word): CompletionState => {
      const command = findCommand(program, [word]);
      const own = command === undefined ? { said: word, words: [], flags: OWN } : stateOf(program, command);
      return isGroup(program, word) ? { ...own, words: [...subcommands(program, word), ...own.words] } : own;
    }),
    ...helps.map(({ text }): CompletionState => ({ said: text, words: [...first, ...topics], flags: OWN })),
    start,
  ];
}

function stateOf(program: Program, { name, flags, positionals }: Command): CompletionState {
  return {
    said: name,
    words: (positionals[0]?.choices ?? []).map((text) => ({ text, help: '' })),
    kind: asks(program) ? positionals[0]?.complete : undefined,
    flags: [...Object.entries(flags).flatMap(([key, flag]) => listItems(key, flag)), ...OWN],
  };
}

const subcommands = (program: Program, group: string): Item[] =>
  listGroup(program, group).map(({ name, summary }) => ({
    text: name.slice(group.length + 1),
    help: summary,
  }));

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

/** A flag of any command: of all that have it, where they differ. */
export interface KnownFlag {
  readonly names: readonly string[];
  readonly short?: string;
  readonly takesWord: boolean;
  /** Only after `=`. */
  readonly isBare: boolean;
  readonly isPath: boolean;
  readonly values: readonly string[];
  /** What `complete` is asked for. */
  readonly kind?: string;
}

export function listKnown(program: Program): KnownFlag[] {
  const all = listVisible(program).flatMap(({ flags }) => Object.entries(flags));
  return [...Map.groupBy(all, ([key]) => key)].map(([key, entries]) => {
    const flags = entries.map(([, flag]) => flag);
    const short = flags.find((flag) => flag.short !== undefined)?.short;
    const kind = flags.flatMap((flag) => ('complete' in flag ? (flag.complete ?? []) : []))[0];
    return {
      names: [longFlag(key), ...(short === undefined ? [] : [`-${short}`])],
      short,
      takesWord: flags.some(takesNextWord),
      isBare: !flags.some(takesNextWord),
      isPath: flags.some((flag) => flag.kind === 'path'),
      values: [...new Set(flags.flatMap(valuesOf))],
      kind: asks(program) ? kind : undefined,
    };
  });
}
