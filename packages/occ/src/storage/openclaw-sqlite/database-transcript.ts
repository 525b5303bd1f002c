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

/** The size and the working folder of a transcript in a database. Reads only its first line. */
export function openDatabaseTranscript(
  database: OpenclawDatabase,
  { sessionId, cold }: LocatedSession,
): OpenedTranscript {
  const { sizeBytes } = measureDatabaseTranscript(database, sessionId);
  const moved = cold ? (measureColdArchive(database, sessionId) ?? 0) : 0;
  return { sizeBytes: sizeBytes + moved, cwd: readCwd(database, sessionId) };
}

/** The same, opening the database. */
export function readDatabaseTranscript(located: LocatedSession): OpenedTranscript {
  return (
    located.opened ??
    readOpenclawDatabase(located.path, (database) => openDatabaseTranscript(database, located))
  );
}

/** Undefined for a damaged line: the session is listed anyway. */
function readCwd(database: OpenclawDatabase, sessionId: string): string | undefined {
  try {
    const line = readFirstEvent(database, sessionId);
    return line === undefined ? undefined : interpretFirstLine(line).cwd;
  } catch (error) {
    if (error instanceof OpenBotError) return undefined;
    throw error;
  }
}
