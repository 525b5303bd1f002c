import { callListener } from '../listeners.ts';

export interface TranscriptUpdate {
  sessionFile: string;
}
type TranscriptUpdateListener = (update: TranscriptUpdate) => unknown;

const AUDIENCE = { of: 'for transcript updates', warningCode: 'OPENBOT_TRANSCRIPT_LISTENER' };
const listeners = new Set<{ call: TranscriptUpdateListener }>();

/** Calls `listener` after every append made by this process. Returns the function that ends it. */
export function onSessionTranscriptUpdate(listener: TranscriptUpdateListener): () => void {
  const registration = { call: listener };
  listeners.add(registration);
  return () => {
    listeners.delete(registration);
  };
}

/** A listener that throws is reported as a process warning; it stops neither the others nor the caller. */
export function emitSessionTranscriptUpdate(sessionFile: string): void {
  if (sessionFile.trim() === '') return;
  for (const { call } of [...listeners]) callListener(call, { sessionFile }, AUDIENCE);
}
