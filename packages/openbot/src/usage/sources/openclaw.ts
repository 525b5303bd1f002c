import { resolveStateDir } from '@openbot/sessions';
import { OPENCLAW_STATE } from '@openbot/sessions/layout';
import type { UsageScope, UsageSource } from '../contract.ts';
import { readLayout } from './folder-layout.ts';
import { openStateFolderUsage } from './state-folder.ts';

/** The state folder of the OpenClaw that is installed here. */
export function openOpenclawUsage(scope: UsageScope): UsageSource {
  const convention = { ...OPENCLAW_STATE, defaultFolders: ['~/.openclaw', '~/.clawdbot'] as const };
  const stateDir = resolveStateDir({ env: scope.env, convention });
  return openStateFolderUsage(readLayout(stateDir, scope, false), scope);
}
