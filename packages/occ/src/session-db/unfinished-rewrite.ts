import { unlink } from 'node:fs/promises';
import { type OpenclawDatabase, readTranscriptVersion } from '@openbot/sessions';
import { readJournal, updateJournal } from '../session-file/journal.ts';
import { backupPathOf, keepingPlaceOf, transcriptPathOf } from '../session-file/place.ts';
import type { FoundSession } from '../sources/found-session.ts';

/**
 * A rewrite that was killed before its transaction left a backup of a state that is still the present one, and a record
 * of what never was. Both go.
 */
export async function dropUnfinishedRewrite(
  database: OpenclawDatabase,
  session: FoundSession,
): Promise<void> {
  const path = transcriptPathOf(session);
  const last = readJournal(path, session.source).rewrites.at(-1);
  if (last?.generations === undefined) return;
  const { generation } = readTranscriptVersion(database, session.sessionId);
  if (generation !== last.generations.before || generation === last.generations.after) return;
  await unlink(backupPathOf(keepingPlaceOf(path, session.source), last.backup)).catch(() => {});
  await updateJournal(path, session.source, (journal) => ({
    ...journal,
    rewrites: journal.rewrites.filter(({ backup }) => backup !== last.backup),
  }));
}
