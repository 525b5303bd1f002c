import { resolveStateDir } from '@openbot/sessions';
import { readSessionLayout } from '../../config/session-layout.ts';
import type { UsageScope, UsageSource } from '../contract.ts';
import { openStateFolderUsage } from './state-folder.ts';

/** This program's state folder, or the one that `--state-dir` names, which may be OpenClaw's. */
export function openOpenbotUsage(scope: UsageScope): UsageSource {
  const stateDir = resolveStateDir({ flag: scope.stateDir, env: scope.env });
  return openStateFolderUsage(
    readSessionLayout(stateDir, { ...scope, warn: ({ message }) => scope.warn?.(message) }),
    scope,
  );
}
