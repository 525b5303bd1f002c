import { dirname, join } from 'node:path';
import { OpenBotError, type StoredSession } from '@openbot/sessions';
import {
  isColdSession,
  lookIntoDatabaseEntries,
  measureColdArchive,
  measureDatabaseTranscript,
  openOpenclawDatabaseStore,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import type { KeptTranscript, SessionChanges, SessionKeeper } from '../contract.ts';
import { listArchives } from '../files/archives.ts';
import { makeDatabaseRow } from '../openclaw-list/rows.ts';
import { setFields } from '../set-fields.ts';

export const KEPT_IN_DATABASE = "OpenClaw's database";

/** The database of an agent of a current OpenClaw; undefined where it keeps no sessions in it. */
export function openDatabaseKeeper(path: string, agentId: string): SessionKeeper | undefined {
  const sessions = lookIntoDatabaseEntries(path);
  if (sessions === undefined) return undefined;
  const folder = join(dirname(dirname(path)), 'sessions');
  return {
    agentId,
    path,
    keptIn: KEPT_IN_DATABASE,
    exists: true,
    takesTurns: false,
    list: () => sessions,
    read: (key) => openOpenclawDatabaseStore(path).get(key),
    transcriptOf: (session) => measure(path, session),
    // OpenClaw takes no lock of its own there.
    userOf: async ({ entry }) => (entry.status === 'running' ? 'OpenClaw runs it' : undefined),
    listArchives: (sessionId) => listArchives(folder, sessionId),
    toRow: (session, models, now) => makeDatabaseRow(session, agentId, models, now),
    openChanges: async () => makeChanges(path),
  };
}

function measure(path: string, { entry: { sessionId } }: StoredSession): KeptTranscript {
  return readOpenclawDatabase(path, (database) => {
    const { events, sizeBytes } = measureDatabaseTranscript(database, sessionId);
    if (!isColdSession(database, sessionId)) {
      return { path, isThere: events > 0, sizeBytes, lines: events };
    }
    const fault = 'OpenClaw moved its lines out of the database';
    return { path, isThere: false, sizeBytes: measureColdArchive(database, sessionId) ?? 0, fault };
  });
}

/** What else hangs on a session there, only OpenClaw knows: it keeps memories, runs and members by its id. */
function makeChanges(path: string): SessionChanges {
  return {
    set: async ({ key }, fields) => {
      const others = Object.keys(fields).filter((name) => name !== 'label');
      if (others.length === 0) return setFields(openOpenclawDatabaseStore(path), key, fields);
      return refuse(
        'Set it in the chat with OpenClaw, such as /think high, or take the sessions over: openbot init --from-openclaw',
      );
    },
    reset: ({ key }) =>
      refuse(
        `Reset it in the chat with /new, or: openclaw gateway call sessions.reset --params ${quoteForShell(JSON.stringify({ key }))}`,
      ),
    remove: ({ key }) => refuse(`Use: openclaw sessions delete ${quoteForShell(key)}`),
    prune: () => refuse('Use: openclaw sessions cleanup --enforce'),
    compact: ({ key }) => refuse(`Use: openclaw sessions compact ${quoteForShell(key)}, or openbot clean`),
    restore: () =>
      refuse('Its archives are of the time before the database. OpenClaw can import them: openclaw doctor'),
  };

  async function refuse(hint: string): Promise<never> {
    throw new OpenBotError(
      'SESSION_UNSUPPORTED',
      `The sessions of this agent are in OpenClaw's database ${path}; openbot writes only labels there`,
      { hint },
    );
  }
}
