import { resolveStateDir } from '@openbot/sessions';
import { OPENCLAW_STATE } from '@openbot/sessions/layout';
import { readSessionLayout } from '../../config/session-layout.ts';
import type { UsageScope, UsageSource } from '../contract.ts';
import { openStateFolderUsage } from './state-folder.ts';

/** The state folder of the OpenClaw that is installed here. */
export function openOpenclawUsage(scope: UsageScope): UsageSource {
  const convention = { ...OPENCLAW_STATE, defaultFolders: ['~/.openclaw', '~/.clawdbot'] as const };
  const stateDir = resolveStateDir({ env: scope.env, convention });
  const warn = ({ message }: Error) => scope.warn?.(message);
  const layout = readSessionLayout(stateDir, { ...scope, warn, isNamed: false });
  return openStateFolderUsage(layout, scope);
}
