import { resolveSessionFilePath, type StoredSession } from '@openbot/sessions';
import type { SessionRef } from '../../session-address.ts';
import type { TranscriptRef } from '../../transcripts/contract.ts';

/** The transcript of a stored session, which need not exist; `sessionFile` is absolute. For reading: it has no `cwd`. */
export function transcriptOf(stateDir: string, ref: SessionRef, { entry }: StoredSession): TranscriptRef {
  const { sessionId } = entry;
  const sessionFile = resolveSessionFilePath(sessionId, entry, { agentId: ref.agentId, stateDir });
  return { ...ref, sessionId, sessionFile, cwd: '' };
}
