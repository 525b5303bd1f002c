import { OpenBotError } from '@openbot/sessions';
import {
  iterateEventsBackwards,
  type OpenclawDatabase,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import type { FindingStorage, SearchAgain, SessionAddress } from '../contract/finding.ts';
import type { FoundSession } from '../contract/found-session.ts';
import { describeLocated } from '../contract/located-session.ts';
import { searchBackwards } from '../files/open-calls.ts';
import { agentFlags } from '../openclaw-files/finding.ts';
import { readDatabaseTranscript } from './database-transcript.ts';

export const openclawSqliteFinding: FindingStorage = {
  hasOwnFile: false,
  isNamedByFile: true,
  isVersioned: true,
  describe(located) {
    if (located.missing) return describeLocated({ ...located, sizeBytes: 0 });
    const { sizeBytes, cwd } = readDatabaseTranscript(located);
    return describeLocated({ ...located, sizeBytes }, { cwd });
  },
  explainMissing: ({ path }) => `The database ${path} names it, but has no lines of it`,
  async readOpenCalls(sessions) {
    const calls = new Map<(typeof sessions)[number], unknown[]>();
    for (const [path, own] of Map.groupBy(sessions, ({ path }) => path)) readInDatabase(path, own, calls);
    return calls;
  },
  /** The path of a database identifies a session only where that is the only one. */
  addressInCommand(session, again) {
    const place = /^(.*)[/\\]agents[/\\]([^/\\]+)[/\\]agent[/\\]openclaw-agent\.sqlite$/.exec(session.path);
    if (!again.byPath) return { name: session.sessionId, flags: agentFlags(session, again) };
    if (place === null) return { name: nameByPath(session, again), flags: [] };
    return { name: session.sessionId, flags: ['--agent', place[2]!, '--state-dir', place[1] || '/'] };
  },
};

/** A database outside a state folder has one session, or its sessions are named by their transcripts. */
function nameByPath({ sessionId, path }: FoundSession, { byTranscript }: SearchAgain): string {
  return byTranscript ? `${path}.sessions/${sessionId}.jsonl` : path;
}

function readInDatabase<Session extends SessionAddress>(
  path: string,
  sessions: readonly Session[],
  calls: Map<Session, unknown[]>,
): void {
  try {
    readOpenclawDatabase(path, (database) => {
      for (const session of sessions) calls.set(session, readInEvents(database, session.sessionId));
    });
  } catch {
    // What was read before the error may be of another state of the database.
    for (const session of sessions) calls.delete(session);
  }
}

function readInEvents(database: OpenclawDatabase, sessionId: string): unknown[] {
  try {
    const look = searchBackwards();
    for (const bytes of iterateEventsBackwards(database, sessionId)) {
      const found = look(bytes);
      if (found !== undefined) return found;
    }
  } catch (error) {
    // A damaged line concerns this session alone; an error of SQLite concerns all.
    if (!(error instanceof OpenBotError)) throw error;
  }
  return [];
}
