/** `@openbot/sessions/openclaw-database`: the sessions of a current OpenClaw, which are rows of a database. */
export type { DatabaseStoreOptions } from '../openclaw-db/entries/change-entries.ts';
export { openOpenclawDatabaseStore } from '../openclaw-db/entries/database-store.ts';
export { changeEntriesOfSession, readEntriesOfSession } from '../openclaw-db/entries/entries-of-session.ts';
export { writeEntry as writeDatabaseEntry } from '../openclaw-db/entries/entry-rows.ts';
export { lookIntoDatabaseEntries } from '../openclaw-db/entries/list-entries.ts';
export { openEventChanges, openEventCopies, openSearchChanges } from '../openclaw-db/events/change-events.ts';
export { iterateEventLines, iterateEvents, iterateEventsAfter } from '../openclaw-db/events/event-text.ts';
export { findMisplacedId } from '../openclaw-db/events/identities.ts';
export {
  compareProjections,
  type Projection,
  projectTranscript,
  readProjection,
  writeProjection,
} from '../openclaw-db/events/projection.ts';
export {
  type DatabaseTranscript,
  type LineKeeper,
  scanDatabaseTranscript,
} from '../openclaw-db/events/scan-transcript.ts';
export {
  isSameVersion,
  listTranscriptVersions,
  makeGeneration,
  markRewritten,
  readTranscriptVersion,
} from '../openclaw-db/events/transcript-version.ts';
export {
  type DatabaseSession,
  isColdSession,
  listDatabaseSessions,
  lookIntoOpenclawDatabase,
  measureColdArchive,
  measureDatabaseTranscript,
  readFirstEvent,
} from '../openclaw-db/look-into-database.ts';
export {
  type OpenclawDatabase,
  openDatabaseForWriting,
  readDatabaseQuietly,
  readOpenclawDatabase,
  readSessionDatabase,
} from '../openclaw-db/open-database.ts';
export { openDatabaseWhenFree } from '../openclaw-db/open-when-free.ts';
export { assertWritable } from '../openclaw-db/schema.ts';
export { inTransaction, whileWriting } from '../openclaw-db/transaction.ts';
