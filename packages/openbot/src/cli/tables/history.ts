import { declareCommands } from '@openbot/sessions/command-line';
import { EXPORT_FLAGS, HISTORY_FLAGS } from '../../commands/history/flags.ts';

const declare = declareCommands();

export const HISTORY_COMMANDS = [
  declare({
    name: 'history',
    summary: 'Show what was said in a session',
    description: [
      `A session is named by its id or the beginning of it, its key, its label, or the path of a transcript; archives
(*.jsonl.reset.*, .deleted.*, .bak.*) and backups of occ can be read by their path too. Without a name the most recently
active session of the state folder is shown; in a terminal you choose among several.`,
      `In a terminal the text opens in PAGER, or less. Each tool call is one line, unless --tools is given. Of a session
with branches only the present conversation is shown, unless --all is given. Nothing is hidden: keys and passwords that
were said are shown as they are.`,
    ],
    positionals: [{ name: 'session', complete: 'session' }],
    flags: HISTORY_FLAGS,
    examples: [
      ['openbot history', 'the most recently active session'],
      ['openbot history agent:main:main --last 3', 'its last three turns'],
      ['openbot history 3f2a --turn 4 --tools', 'one turn, with what the tools did'],
      ['openbot history --source claude --follow', 'watch the Claude Code session of this folder'],
      ['openbot history ./backups/3f2a….backup.1.jsonl', 'what a clean left out'],
    ],
    async results() {
      const { HISTORY, HISTORY_MESSAGE } = await import('../../commands/history/result-shapes.ts');
      return { 'openbot history --json': HISTORY, 'openbot history --follow --json': HISTORY_MESSAGE };
    },
    load: async () => (await import('../../commands/history/history.ts')).history,
  }),
  declare({
    name: 'sessions export',
    summary: 'Write a session as Markdown, as an HTML page, or as JSONL',
    description: [
      `Markdown and HTML hold the present conversation; each tool call is one line, unless --tools is given. The HTML
page is one file that needs nothing else. JSONL is the whole transcript, other branches included: its lines byte for
byte, as pi reads them, also of a session that is in a database.`,
      `Keys, tokens and passwords that are recognised are hidden in all three, unless --with-secrets is given. Read what
you pass on: not every secret looks like one.`,
    ],
    positionals: [{ name: 'session', required: true, complete: 'session' }],
    flags: EXPORT_FLAGS,
    examples: [
      ['openbot sessions export agent:main:main', 'Markdown, in a new file in this folder'],
      ['openbot sessions export 3f2a --output talk.html --tools', 'a page with what the tools did'],
      ['openbot sessions export 3f2a --format jsonl --output - | wc -l', 'the lines, to a pipe'],
    ],
    async results() {
      const { EXPORT } = await import('../../commands/history/result-shapes.ts');
      return { 'openbot sessions export --json': EXPORT };
    },
    load: async () => (await import('../../commands/history/sessions-export.ts')).sessionsExport,
  }),
];
