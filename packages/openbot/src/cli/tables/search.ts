import { declareCommands } from '@openbot/sessions/command-line';
import { INDEX_FLAGS, SEARCH_FLAGS } from '../../commands/search/flags.ts';

const declare = declareCommands();

export const SEARCH_COMMANDS = [
  declare({
    name: 'search',
    summary: 'Find messages by their words',
    description: [
      `All words must be in a message, in any order, whatever their case and accents. Words in quotation marks are a
phrase, and word* is every word that begins so. The best hits come first, each with the command that shows its place.`,
      `The words are looked up in an index, openbot.sqlite, which is made from the transcripts and first brought up to
date. For a state folder of OpenClaw it is kept in the state folder of openbot. Secrets are not in it.`,
    ],
    positionals: [{ name: 'words', required: true, many: true }],
    flags: SEARCH_FLAGS,
    examples: [
      ['openbot search harbour lighthouse', 'messages with both words'],
      ['openbot search "the old harbour" --since 7d', 'a phrase, of the last week'],
      ['openbot search "conf*" --role user --channel telegram', 'what people wrote on Telegram'],
      ['openbot search migration --source all --tools', 'of all programs, calls of tools too'],
    ],
    async results() {
      const { SEARCH } = await import('../../commands/search/result-shapes.ts');
      return { 'openbot search <words…> --json': SEARCH };
    },
    load: async () => (await import('../../commands/search/search.ts')).search,
  }),
  declare({
    name: 'index rebuild',
    summary: 'Make the index of messages anew',
    description: [
      'From the transcripts, which are only read. What was indexed of other programs is indexed again.',
    ],
    positionals: [],
    flags: INDEX_FLAGS,
    examples: [['openbot index rebuild', 'with a bar that shows how far it is']],
    async results() {
      const { REBUILD } = await import('../../commands/search/result-shapes.ts');
      return { 'openbot index rebuild --json': REBUILD };
    },
    load: async () => (await import('../../commands/search/index-rebuild.ts')).indexRebuild,
  }),
  declare({
    name: 'index check',
    summary: 'Compare the index of messages with the transcripts',
    description: [
      'Reads all transcripts and changes nothing. Names each session that is missing, stale, extra or wrong; exits with 1 if there is one.',
    ],
    positionals: [],
    flags: INDEX_FLAGS,
    examples: [['openbot index check', 'says nothing but a figure where all is well']],
    async results() {
      const { CHECK } = await import('../../commands/search/result-shapes.ts');
      return { 'openbot index check --json': CHECK };
    },
    load: async () => (await import('../../commands/search/index-check.ts')).indexCheck,
  }),
];
