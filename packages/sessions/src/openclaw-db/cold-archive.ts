import type { OpenclawDatabase } from './open-database.ts';

/** How large a transcript is that was moved out of the database, as a file of lines; undefined where that is not said. */
export function measureColdArchive(
  { db, schema }: Pick<OpenclawDatabase, 'db' | 'schema'>,
  sessionId: string,
): number | undefined {
  if (!schema.has('session_transcript_cold_archives', 'raw_bytes')) return undefined;
  const row = db
    .prepare('SELECT raw_bytes AS bytes FROM session_transcript_cold_archives WHERE session_id = ?')
    .get(sessionId) as { bytes: number } | undefined;
  // It counts the line ends between the lines, but none behind the last.
  return row === undefined ? undefined : row.bytes + 1;
}
