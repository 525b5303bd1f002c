import { OpenBotError } from '@openbot/sessions';
import {
  measureColdArchive,
  measureDatabaseTranscript,
  type OpenclawDatabase,
  readFirstEvent,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import type { LocatedSession, OpenedTranscript } from '../contract/located-session.ts';
import { interpretFirstLine } from '../files/transcript-head.ts';

/** What a transcript in a database says of itself. Of its lines only the first is read. */
export function openDatabaseTranscript(
  database: OpenclawDatabase,
  { sessionId, cold }: LocatedSession,
): OpenedTranscript {
  const { sizeBytes } = measureDatabaseTranscript(database, sessionId);
  const moved = cold ? (measureColdArchive(database, sessionId) ?? 0) : 0;
  return { sizeBytes: sizeBytes + moved, cwd: readCwd(database, sessionId) };
}

/** The same where the database is not open. */
export function readDatabaseTranscript(located: LocatedSession): OpenedTranscript {
  return (
    located.opened ??
    readOpenclawDatabase(located.path, (database) => openDatabaseTranscript(database, located))
  );
}

/** A damaged line does not keep the session, or the others, from being listed. */
function readCwd(database: OpenclawDatabase, sessionId: string): string | undefined {
  try {
    const line = readFirstEvent(database, sessionId);
    return line === undefined ? undefined : interpretFirstLine(line).cwd;
  } catch (error) {
    if (error instanceof OpenBotError) return undefined;
    throw error;
  }
}
