import { type CommandInput, declareCommands, type Program } from '../../src/command-line/command.ts';
import { declareFlags } from '../../src/command-line/flags.ts';
import { declareVersion } from '../../src/command-line/package-version.ts';

interface Context {
  readonly calls: unknown[];
}

const SEND_FLAGS = declareFlags({
  to: { kind: 'list', value: 'name', help: 'A receiver; can be given several times' },
  tone: { kind: 'choice', choices: ['plain', 'formal'], value: 'tone', help: 'How it sounds' },
  copies: { kind: 'number', whole: true, least: 1, most: 9, short: 'c', value: 'n', help: 'How many' },
  price: {
    kind: 'number',
    prefix: '$',
    least: 0.01,
    mustBe: 'an amount in US dollars',
    value: 'usd',
    example: '2.50',
    help: 'What it may cost',
  },
  wait: { kind: 'seconds', bare: 60, value: 'seconds', help: 'Wait for the line' },
  sign: { kind: 'text', bare: true, suggest: ['short', 'long'], value: 'form', help: 'Sign it' },
  stateDir: { kind: 'path', value: 'dir', help: 'Where it is kept' },
  json: { kind: 'boolean', negatable: true, help: 'Print JSON' },
});

const declare = declareCommands<Context>();
const SHELL = { name: 'shell', required: true, choices: ['bash', 'zsh'] } as const;

/** The types of what a command reads are those of its declaration; the compiler checks this file. */
async function send({ flags, words, calls }: CommandInput<typeof SEND_FLAGS> & Context): Promise<void> {
  const to: readonly string[] | undefined = flags.to;
  const tone: 'plain' | 'formal' | undefined = flags.tone;
  const copies: number | undefined = flags.copies;
  const sign: string | true | undefined = flags.sign;
  const word: string | undefined = words[0];
  // @ts-expect-error a flag that is not declared
  calls.push({ to, tone, copies, sign, word, none: flags.none });
}

async function pick({
  words,
  calls,
}: CommandInput<Record<never, never>, readonly [typeof SHELL]> & Context): Promise<void> {
  const shell: 'bash' | 'zsh' | undefined = words[0];
  // @ts-expect-error there is one word
  calls.push({ shell, more: words[1] });
}

export const CALLS: unknown[] = [];

export const SAMPLE: Program<Context> = {
  name: 'post',
  version: () => '1.2.3',
  commands: [
    declare({
      name: 'letter send',
      summary: 'Send a letter',
      positionals: [{ name: 'text', required: true, whenTooMany: 'put the text between quotation marks' }],
      flags: SEND_FLAGS,
      examples: [['post letter send "Hello"', 'to all']],
      load: async () => send,
    }),
    declare({
      name: 'letter list',
      summary: 'List letters',
      positionals: [],
      flags: declareFlags({ json: SEND_FLAGS.json }),
      examples: [['post letter list', 'all of them']],
      load: async () => async () => {},
    }),
    declare({
      name: 'pick',
      summary: 'Pick a shell',
      positionals: [SHELL],
      flags: {},
      examples: [['post pick bash', 'that one']],
      load: async () => pick,
    }),
    declare({
      name: 'stamps',
      summary: 'List stamps',
      positionals: [],
      flags: declareFlags({
        of: { kind: 'text', value: 'letter', complete: 'letter', help: 'Those of a letter' },
      }),
      examples: [['post stamps', 'all of them']],
      load: async () => async (input) => {
        input.calls.push('stamps');
      },
    }),
    declare({
      name: 'stamps find',
      summary: 'Find stamps',
      positionals: [{ name: 'words', required: true, many: true }],
      // The short form of another flag, in another command, that takes a word.
      flags: declareFlags({ cheap: { kind: 'boolean', short: 'c', help: 'Only cheap ones' } }),
      examples: [],
      load: async () => async (input) => {
        input.calls.push({ find: input.words, cheap: input.flags.cheap });
      },
    }),
    declareVersion('post', () => SAMPLE),
    declare({
      name: 'complete',
      hidden: true,
      summary: 'List letters for a shell',
      positionals: [{ name: 'what' }, { name: 'words', many: true }],
      flags: {},
      examples: [],
      load: async () => async () => {},
    }),
    declare({
      name: 'background-send',
      hidden: true,
      summary: 'Send what waits',
      positionals: [{ name: 'path' }],
      flags: declareFlags({ secretId: { kind: 'text', value: 'id', help: 'Which one' } }),
      examples: [],
      load: async () => async (input) => {
        input.calls.push({ id: input.flags.secretId, path: input.words[0] });
      },
    }),
  ],
  commonFlags: {},
  help: {
    about: 'Sends letters.',
    usage: 'post <command> [flags]',
    examples: [['post letter list', 'all']],
    families: [{ title: 'Mail:', words: ['letter', 'pick'] }],
    groups: { letter: 'Letters' },
  },
  topics: {
    postage: {
      summary: 'What it costs',
      load: async () => ['Much.', { title: 'Rates:', rows: [['letter', '1']] }],
    },
  },
  pages: { rates: { help: 'What it costs', text: 'Too much.\n' } },
  prepare: async ({ json }) => ({ context: { calls: CALLS }, json: json === true, verbose: false }),
};
