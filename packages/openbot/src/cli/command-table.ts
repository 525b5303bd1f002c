import type { Command } from '../commands/command.ts';

export interface FlagSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for its value in the help. */
  readonly value?: string;
  readonly text: string;
}

export interface CommandSpec {
  /** As a person types it. */
  readonly name: string;
  /** What may follow it. */
  readonly words: string;
  readonly mostWords: number;
  readonly text: string;
  readonly flags: Readonly<Record<string, FlagSpec>>;
  load(): Promise<Command>;
}

const PLACE: Readonly<Record<string, FlagSpec>> = {
  repo: { type: 'string', value: 'path', text: 'The repository; the current folder when left out' },
  'state-dir': {
    type: 'string',
    value: 'path',
    text: 'Where openbot keeps its state; ~/.openbot by default',
  },
  json: { type: 'boolean', text: 'Print JSON' },
};

const AGENT: FlagSpec = { type: 'string', value: 'id', text: 'The agent; main by default' };

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'cc list',
    words: '',
    mostWords: 0,
    text: 'Lists the Claude Code sessions of a repository',
    flags: {
      ...PLACE,
      all: { type: 'boolean', text: 'Those of all repositories' },
      limit: { type: 'string', short: 'n', value: 'count', text: 'At most so many' },
    },
    load: async () => (await import('../commands/cc-list.ts')).ccList,
  },
  {
    name: 'cc status',
    words: '',
    mostWords: 0,
    text: 'Shows the state of a repository: git, GitHub, docs, sessions',
    flags: { ...PLACE, agent: AGENT },
    load: async () => (await import('../commands/cc-status.ts')).ccStatus,
  },
  {
    name: 'cc select',
    words: '<task>',
    mostWords: 1,
    text: 'Tells in which session a task would go on, and why',
    flags: {
      ...PLACE,
      agent: AGENT,
      label: { type: 'string', value: 'name', text: 'The session with that label' },
      explain: { type: 'boolean', text: 'Show the factors of every session' },
      words: { type: 'boolean', text: 'Compare words only; ask no model' },
    },
    load: async () => (await import('../commands/cc-select.ts')).ccSelect,
  },
];
