import { statSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, resolveSessionFilePath, type StoredSession } from '@openbot/sessions';
import type { KeptTranscript } from '../contract.ts';

/** Of whom the sessions are, and who else may use them. */
export interface FileKeeperPlace {
  readonly stateDir: string;
  readonly agentId: string;
  readonly storePath: string;
  /** Whether this program runs agents of the folder, whose locks then count. */
  readonly isRunHere: boolean;
  /** Why it is not known whether sessions are run: then nothing is changed that a run could use. */
  readonly unsafe?: OpenBotError;
  readonly mainKey?: string;
  readonly scope?: 'per-sender' | 'global';
  /** The caller holds the run lock of the session that is changed. */
  readonly holdsRun?: boolean;
}

export function locateTranscript(folder: string, { entry }: StoredSession): KeptTranscript {
  let path = join(folder, `${entry.sessionId}.jsonl`);
  try {
    path = resolveSessionFilePath(entry.sessionId, entry, { sessionsDir: folder });
    const stats = statSync(path, { throwIfNoEntry: false });
    return { path, isThere: stats?.isFile() ?? false, sizeBytes: stats?.size ?? 0 };
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    return { path, isThere: false, sizeBytes: 0, fault: error.message };
  }
}
