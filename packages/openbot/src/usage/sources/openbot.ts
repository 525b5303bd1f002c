import { resolveStateDir } from '@openbot/sessions';
import type { UsageScope, UsageSource } from '../contract.ts';
import { readLayout } from './folder-layout.ts';
import { openStateFolderUsage } from './state-folder.ts';

/** This program's state folder, or the one that `--state-dir` names, which may be OpenClaw's. */
export function openOpenbotUsage(scope: UsageScope): UsageSource {
  const stateDir = resolveStateDir({ flag: scope.stateDir, env: scope.env });
  return openStateFolderUsage(readLayout(stateDir, scope, true), scope);
}
