export type TranscriptUpdate = { sessionFile: string };
export type TranscriptUpdateListener = (update: TranscriptUpdate) => unknown;

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
  for (const { call } of [...listeners]) {
    try {
      const outcome = call({ sessionFile });
      if (outcome instanceof Promise) outcome.catch(warn);
    } catch (error) {
      warn(error);
    }
  }
}

function warn(error: unknown): void {
  process.emitWarning(
    `A listener for transcript updates failed: ${error instanceof Error ? error.message : String(error)}`,
    {
      code: 'OPENBOT_TRANSCRIPT_LISTENER',
    },
  );
}
