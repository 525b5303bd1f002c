import type { Environment } from '@openbot/sessions/layout';
import type { ClaudeSettings } from '../../config/bot-config.ts';
import type { OwnSettings } from '../contract.ts';

/** What a run needs beside its request. */
export interface ClaudePlace {
  readonly stateDir: string;
  /** What Claude Code gets. */
  envOf(agentId: string): Environment;
  /** Of Claude Code's own tools, as they are now. */
  settingsOf(agentId: string): OwnSettings & { readonly mode?: ClaudeSettings['permissionMode'] };
}
