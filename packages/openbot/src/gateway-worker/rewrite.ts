import { openFileSessionStore } from '@openbot/sessions';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { openFileRunLock } from '../run-lock/files/file-run-lock.ts';
import { findSession, type SessionRef } from '../session-address.ts';
import { changeSettings } from '../session-settings/change-settings.ts';
import type { CleanChoice, TranscriptRef, Transcripts } from '../transcripts/contract.ts';
import { openFileTranscripts } from '../transcripts/files/file-transcripts.ts';
import { takeRun } from './take-run.ts';
import type { TaskPlace } from './task-place.ts';

export interface RewriteTask {
  readonly ref: SessionRef;
  readonly storePath: string;
  readonly mainKey?: string;
  /** How long a run may hold it up. ms */
  readonly waitMs: number;
  /** A clean, or else the undoing of the last one. */
  readonly clean?: Required<Pick<CleanChoice, 'preset'>> & CleanChoice;
  /** ms */
  readonly now: number;
}

export interface Rewritten {
  /** Whether the transcript is another one now. */
  readonly isNew: boolean;
  readonly result: object;
}

/**
 * Cleans a transcript, or undoes it, as the chat commands `/clean` and `/restore` do: with the run lock of the session, and
 * noted in its entry. The lock is this process's: one of the gateway would look like that of a run which this is a tool of.
 */
export async function rewrite(
  task: RewriteTask,
  { stateDir, signal }: Omit<TaskPlace, 'env'>,
): Promise<Rewritten> {
  const { ref, storePath, mainKey, waitMs, now } = task;
  const { agentId, sessionKey } = ref;
  const run = await takeRun(openFileRunLock(stateDir), ref, { waitMs, signal });
  const store = openFileSessionStore(storePath);
  try {
    const sessions = { store, storePath, agentId, mainKey };
    // It may be another session since it was waited for.
    const entry = (await findSession(sessions, sessionKey))?.entry;
    if (entry === undefined) throw refuse('INVALID_REQUEST', `No session found: ${sessionKey}`);
    const { sessionId, sessionFile = '' } = entry;
    const transcript = { ...ref, sessionId, sessionFile, cwd: '' };
    const transcripts = openFileTranscripts(stateDir, () => storePath);
    const { patch, result } = await apply(transcripts, transcript, task);
    if (patch !== undefined) await changeSettings(sessions, sessionKey, patch, { now: () => now });
    const contextTokens = await transcripts.measureContext(transcript);
    return { isNew: patch !== undefined, result: { ...result, contextTokens } };
  } finally {
    await store.close();
    await run.release();
  }
}

async function apply(transcripts: Transcripts, transcript: TranscriptRef, { clean, now }: RewriteTask) {
  if (clean === undefined) {
    const result = await transcripts.restore(transcript);
    return { patch: result.restored ? { lastClean: undefined } : undefined, result };
  }
  const { preset } = clean;
  const { changed, savedTokens } = await transcripts.clean(transcript, clean);
  const patch = changed ? { lastClean: { at: now, savedTokens, preset } } : undefined;
  return { patch, result: { changed, savedTokens, preset } };
}
