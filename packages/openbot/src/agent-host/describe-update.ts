import type { TranscriptUpdate } from '../transcripts/contract.ts';
import type { HostEvent } from './contract.ts';

/** Which messages were added to a transcript. Marks are no messages. */
export function describeUpdate(update: TranscriptUpdate): Extract<HostEvent, { type: 'appended' }> {
  const { agentId, sessionKey, sessionId, sessionFile, entries } = update;
  const entryIds = entries.flatMap(({ type, id }) => (type === 'message' && id !== undefined ? [id] : []));
  return { type: 'appended', session: { agentId, sessionKey, sessionId, sessionFile }, entryIds };
}
