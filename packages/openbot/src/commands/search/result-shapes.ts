/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const SOURCE = "'openbot' | 'openclaw' | 'pi' | 'claude' - the program whose session it is";

export const SEARCH: ResultShape = {
  hits: [
    {
      source: SOURCE,
      agentId: 'string | null',
      sessionId: 'string',
      sessionKey: 'string | null',
      path: 'string - of the transcript, or of the database that has it',
      channel: 'string | null',
      label: 'string | null',
      title: 'string | null',
      role: "'user' | 'assistant' | 'tool' | 'system' | 'summary'",
      at: 'string | null - ISO 8601',
      turn: 'number - counts the messages of people up to this one, in the order of the transcript',
      entryId: 'string | null',
      text: "'said' | 'tools' - tools: the call of a tool, or its result",
      score: 'number - higher is better, within one search',
      snippet: {
        text: 'string - on one line, without secrets',
        highlights: [{ start: 'number', end: 'number - UTF-16 units in the text' }],
      },
      open: 'string - the command that shows the place',
    },
  ],
  more: 'boolean - there are more than --limit',
  'suggestions?': ['string - where nothing was found'],
  index: {
    path: 'string',
    sessions: 'number',
    read: 'number - sessions with something new',
    removed: 'number',
  },
};

export const REBUILD: ResultShape = {
  path: 'string',
  sessions: 'number',
  messages: 'number',
  bytes: 'number - of transcripts that were read',
  durationMs: 'number',
  faults: [{ path: 'string', message: 'string' }],
};

export const CHECK: ResultShape = {
  path: 'string',
  ok: 'boolean',
  sessions: 'number',
  messages: 'number',
  'fault?': 'string - why the index cannot be used',
  'hint?': 'string - what to do, where it is not ok',
  differences: [
    {
      kind: "'missing' | 'stale' | 'extra' | 'wrong'",
      source: SOURCE,
      sessionId: 'string',
      path: 'string',
    },
  ],
};
