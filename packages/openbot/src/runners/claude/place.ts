import type { Environment } from '@openbot/sessions/layout';
import type { ClaudeSettings } from '../../config/bot-config.ts';

/** What a run needs beside its request. */
export interface ClaudePlace {
  readonly stateDir: string;
  /** What Claude Code gets. */
  envOf(agentId: string): Environment;
  settingsOf(agentId: string): ClaudeSettings;
}
