import type { Environment } from '@openbot/sessions/layout';

/** Presets of a clean that a person can choose. */
export const PRESETS = ['default', 'aggressive', 'extreme'] as const;

export interface TaskPlace {
  readonly stateDir: string;
  readonly env: Environment;
  /** Aborted when no caller waits for the task any more: one that waits itself then ends. */
  readonly signal: AbortSignal;
}
