import type { ResultShape } from '@openbot/sessions/command-line';

const FINDING = {
  severity: "'problem' | 'warning'",
  what: 'string',
  'remedy?': 'string - what a person can do',
  'fix?': 'string - what --fix does',
  'fixed?': 'boolean - with --fix: whether it was done',
  'failure?': 'string - why a fix could not be done',
} as const;

const CHECK = { name: 'string', about: 'string', findings: [FINDING] } as const;

const CHECKED = {
  healthy: 'boolean',
  problems: 'number',
  warnings: 'number',
  checks: [CHECK],
} as const;

export const HEALTH: ResultShape = {
  ...CHECKED,
  gateway: {
    state: "'not running' | 'starting' | 'not answering' | 'not ready' | 'ready'",
    'process?': 'string',
    'pid?': 'number',
    'url?': 'string',
    'version?': 'string',
    'startedAt?': 'number - ms',
  },
};
export const DOCTOR: ResultShape = CHECKED;
