/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

export const GET: ResultShape = 'any';

export const EDIT: ResultShape = {
  path: 'string - the file',
  setting: 'string',
  changed: 'boolean - false where the file said so already',
  notices: ['string'],
};

export const VALIDATE: ResultShape = {
  path: 'string - the file that was read, or openbot.json where there is none',
  exists: 'boolean',
  valid: 'boolean',
  faults: [
    {
      'file?': 'string',
      'line?': 'number',
      'column?': 'number',
      'setting?': 'string - its path',
      message: 'string',
      'hint?': 'string',
    },
  ],
  notices: ['string'],
};
