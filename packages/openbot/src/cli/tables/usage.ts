import { declareCommands } from '@openbot/sessions/command-line';
import { REPORTS, USAGE_FLAGS } from '../../commands/usage/flags.ts';

const declare = declareCommands();

export const USAGE_COMMANDS = [
  declare({
    name: 'usage',
    summary: 'Show tokens and cost by day, month, session, model or channel',
    description: [
      `Counts each request to a model once, however many lines, forks, archives or backups repeat it. With --source claude,
tokens are those of ccusage, and so is the cost of the models that ccusage knows, unless usage.prices is set. A repeated report reads only what changed.`,
      `A cost that the transcript records counts. Where there is none, it is computed from the prices in models.providers
of openbot.json, else from a table of prices (the built-in one of Claude models, or the file that usage.prices names), else
from pi's list. A price that is not known is shown as –, and the table that was used is named with its date.`,
    ],
    positionals: [{ name: 'report', choices: REPORTS }],
    flags: USAGE_FLAGS,
    examples: [
      ['openbot usage', 'by day'],
      ['openbot usage session --since 7d', 'the sessions of the last 7 days'],
      ['openbot usage monthly --source claude --breakdown', "Claude Code's sessions by month and model"],
      ['openbot usage --prices > prices-new.json', 'the built-in table of prices, to be changed'],
      ['openbot usage model --source all --json', 'everything on this machine by model, as JSON'],
    ],
    async results() {
      const { USAGE } = await import('../../commands/usage/result-shapes.ts');
      return { 'openbot usage --json': USAGE };
    },
    load: async () => (await import('../../commands/usage/usage.ts')).usage,
  }),
];
