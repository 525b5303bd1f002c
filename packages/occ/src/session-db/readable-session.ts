import {
  compareProjections,
  type DatabaseTranscript,
  isColdSession,
  type LineKeeper,
  type OpenclawDatabase,
  type Projection,
  projectTranscript,
  readProjection,
  scanDatabaseTranscript,
} from '@openbot/sessions/openclaw-database';
import { OccError, SessionNotFoundError } from '../errors.ts';

/** A session in a database, as far as it is understood. */
export interface ReadSession extends DatabaseTranscript {
  readonly projection: Projection;
  /** False where OpenClaw has yet to make its index of the session anew. */
  readonly isIndexed: boolean;
}

/** Reads a session that is there. */
export function readSession(
  database: OpenclawDatabase,
  sessionId: string,
  keeper?: LineKeeper,
): DatabaseTranscript {
  if (isColdSession(database, sessionId)) {
    throw unsupported(
      sessionId,
      'OpenClaw moved its lines out of the database, to cold storage',
      'Nothing was changed. Open the session in OpenClaw once, which brings them back, and try again',
      'read',
    );
  }
  const scanned = scanDatabaseTranscript(database, sessionId, keeper);
  if (scanned.transcript.length === 0) throw new SessionNotFoundError(sessionId);
  return scanned;
}

/**
 * Reads a session that is to be rewritten. What OpenClaw keeps beside the lines is computed from them and compared with
 * what it keeps: where the two differ, the lines mean something else than we think, and are left alone.
 */
export function readSessionToRewrite(
  database: OpenclawDatabase,
  sessionId: string,
  keeper?: LineKeeper,
): ReadSession {
  const scanned = readSession(database, sessionId, keeper);
  const { transcript } = scanned;
  const [broken] = transcript.problems;
  if (broken !== undefined) throw unknown(sessionId, `line ${broken.line} cannot be read`);
  if (transcript.hasDuplicates) throw unknown(sessionId, 'two lines have the same id');
  const projection = projectTranscript(scanned);
  const kept = readProjection(database, sessionId);
  const difference = kept && compareProjections(projection, kept);
  if (difference !== undefined) {
    throw unknown(sessionId, `OpenClaw's own record of the conversation is another one: ${difference}`);
  }
  return { ...scanned, projection, isIndexed: kept !== undefined };
}

function unknown(sessionId: string, why: string): OccError {
  return unsupported(
    sessionId,
    `it has a structure that is not known here: ${why}`,
    'Nothing was changed, since a wrong guess would lose a part of the conversation. occ clone -o writes it to a file',
  );
}

function unsupported(
  sessionId: string,
  why: string,
  hint: string,
  doing: 'read' | 'changed' = 'changed',
): OccError {
  return new OccError(`Session '${sessionId}' cannot be ${doing}: ${why}`, 'SESSION_UNSUPPORTED', { hint });
}
