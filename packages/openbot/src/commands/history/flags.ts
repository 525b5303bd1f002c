import { declareFlags } from '@openbot/sessions/command-line';
import { AGENT, JSON_OUTPUT, SOURCE, STATE_DIR } from '../flags.ts';

const SEARCH_FLAGS = declareFlags({
  ...SOURCE,
  agent: { ...AGENT.agent, help: 'Only sessions of this agent. Default: all agents' },
  ...STATE_DIR,
});

const PART_FLAGS = declareFlags({
  tools: { kind: 'boolean', help: 'Show what tools were given and what they returned, in full' },
  thinking: { kind: 'boolean', help: 'Show what the model thought, where it is recorded' },
});

export const HISTORY_FLAGS = declareFlags({
  turn: {
    kind: 'text',
    value: 'n',
    example: '3-7',
    help: 'Show one turn, or several: 3, 3-7, or 3- to the end',
  },
  last: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'n',
    example: '3',
    help: 'Show only the last turns',
  },
  at: {
    kind: 'text',
    value: 'entry',
    help: 'Show the turn with this entry, and mark it. The id of an entry is the same after a clean',
  },
  ...PART_FLAGS,
  all: { kind: 'boolean', help: 'Show every line in the order of the file, other branches too' },
  follow: { kind: 'boolean', help: 'Go on with what is said from now on, until Ctrl-C' },
  noPager: { kind: 'boolean', help: 'Print without a pager' },
  ...SEARCH_FLAGS,
  json: { ...JSON_OUTPUT.json, help: 'Print JSON; with --follow a line for each message' },
});

export const EXPORT_FLAGS = declareFlags({
  format: {
    kind: 'choice',
    choices: ['md', 'html', 'jsonl'],
    value: 'form',
    example: 'html',
    help: 'Markdown, an HTML page, or the lines themselves. Default: by the ending of --output, or md',
  },
  output: {
    kind: 'path',
    short: 'o',
    value: 'path',
    example: './talk.html',
    help: 'Where to write it; - is standard output. Default: a new file in this folder, named by the session',
  },
  ...PART_FLAGS,
  withSecrets: {
    kind: 'boolean',
    help: 'Leave keys, tokens and passwords as they are. Default: they are hidden',
  },
  force: { kind: 'boolean', help: 'Replace a file that exists' },
  ...SEARCH_FLAGS,
  ...JSON_OUTPUT,
});
