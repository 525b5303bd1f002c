import type { StoredEntry } from '@openbot/sessions';
import type { Caller } from '../../gateway-protocol/method.ts';
import type { SessionRef } from '../../session-address.ts';
import type { EntryPatch } from '../../session-settings/contract.ts';
import type { GatewayServices } from '../services.ts';
import { isBound } from './session-ref.ts';

/** An entry as a response has it: without what is large and of no use to a client, and for those of some agents without paths. */
export function showEntry(entry: StoredEntry, caller: Caller): object {
  const {
    skillsSnapshot: _skills,
    systemPromptReport: _prompt,
    pendingArchives: _pending,
    recordedOnly: _recorded,
    sessionFile,
    spawnedWorkspaceDir,
    spawnedCwd,
    lifecycleRevision = entry.sessionId,
    ...shown
  } = entry as StoredEntry & { readonly [field: string]: unknown };
  return {
    ...shown,
    ...(!isBound(caller) && { sessionFile, spawnedWorkspaceDir, spawnedCwd }),
    lifecycleRevision,
  };
}

/** The model that answers next. */
export async function resolvedModel({ rows }: GatewayServices, ref: SessionRef) {
  const row = await rows.find(ref);
  return { modelProvider: row?.modelProvider, model: row?.model };
}

/** Of an entry that a client made. */
export function createdNow({ now }: GatewayServices): EntryPatch {
  return { createdAt: now(), createdVia: 'operator' } as EntryPatch;
}
