/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const LEFT_OUT: ResultShape = [{ what: 'string', why: 'string' }];

export const INIT: ResultShape = {
  path: 'string - the configuration',
  workspace: 'string',
  files: ['string'],
  model: 'string - provider/model',
  'test?': {
    name: 'string',
    isAnswered: 'boolean',
    durationMs: 'number',
    'text?': 'string',
    'usage?': 'any',
  },
};

export const FROM_OPENCLAW: ResultShape = {
  from: 'string',
  to: 'string',
  dryRun: 'boolean',
  config: {
    path: 'string',
    state: "'written' | 'exists'",
    settings: ['string'],
    secrets: [{ setting: 'string', reference: 'string - a variable or a file, never the secret' }],
    workspaces: ['string'],
  },
  agents: [
    {
      agentId: 'string',
      from: ['string'],
      to: 'string',
      transcripts: 'number - copied, or to be copied',
      entries: 'number',
      updated: 'number - copied before, and continued by OpenClaw alone since: they have what was added',
      existing: 'number - other sessions that were here already; they are as they were',
      leftOut: LEFT_OUT,
    },
  ],
  leftOut: LEFT_OUT,
  warnings: LEFT_OUT,
};
