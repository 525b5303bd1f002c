/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

export const SET: ResultShape = {
  key: 'string',
  sessionId: 'string',
  changed: ['string - name of a setting'],
  settings: [{ name: 'string', value: 'string - what holds now', isSet: 'boolean - by the session itself' }],
};
