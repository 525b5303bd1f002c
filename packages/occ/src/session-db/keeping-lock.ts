import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, withTranscriptLock } from '@openbot/sessions';

/**
 * Runs `run` with the lock of a session in a database: two of us at once would give their backups one number. The folder
 * that the lock and the backups need is made, and goes again where nothing was to be kept.
 * @param transcriptPath beside which the backups are
 */
export async function withKeepingLock<T>(transcriptPath: string, run: () => Promise<T>): Promise<T> {
  const folder = dirname(transcriptPath);
  const wasThere = existsSync(folder);
  try {
    await makeFolder(folder);
    return await withTranscriptLock(transcriptPath, run);
  } finally {
    // It stays where anything is in it, as the lock of another one of us is.
    if (!wasThere) await rmdir(folder).catch(() => {});
  }
}
