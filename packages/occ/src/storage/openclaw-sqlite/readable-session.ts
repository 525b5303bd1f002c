import { OpenBotError, reportProgress } from '@openbot/sessions';
import {
  compareProjections,
  type DatabaseTranscript,
  findMisplacedId,
  isColdSession,
  iterateEventLines,
  type LineKeeper,
  type OpenclawDatabase,
  type Projection,
  projectTranscript,
  readProjection,
  scanDatabaseTranscript,
} from '@openbot/sessions/openclaw-database';
import { SessionNotFoundError, shortenText } from '../../errors.ts';

/** A session in a database, as far as it is understood. */
export interface ReadSession extends DatabaseTranscript {
  readonly projection: Projection;
  /** False where OpenClaw has yet to make its index of the session anew. */
  readonly isIndexed: boolean;
}

/** What a session is read for. */
type Purpose = 'read' | 'changed' | 'cloned';

/** Reads a session that is there. */
export function readSession(
  database: OpenclawDatabase,
  sessionId: string,
  keeper?: LineKeeper,
): DatabaseTranscript {
  return readFor('read', database, sessionId, keeper);
}

function readFor(
  purpose: Purpose,
  database: OpenclawDatabase,
  sessionId: string,
  keeper: LineKeeper | undefined,
): DatabaseTranscript {
  if (isColdSession(database, sessionId)) {
    throw unsupported(
      sessionId,
      'read',
      'OpenClaw moved its lines out of the database, to cold storage',
      `${UNTOUCHED[purpose]}Open the session in OpenClaw once, which brings them back, and try again`,
    );
  }
  const scanned = scan(database, sessionId, keeper);
  if (scanned.transcript.length === 0) throw new SessionNotFoundError(sessionId);
  return scanned;
}

const UNTOUCHED: Readonly<Record<Purpose, string>> = {
  read: '',
  changed: 'Nothing was changed. ',
  cloned: 'Nothing was written. ',
};

function scan(
  database: OpenclawDatabase,
  sessionId: string,
  keeper: LineKeeper | undefined,
): DatabaseTranscript {
  try {
    reportProgress({ step: 'scan', text: 'Reading the session' });
    return scanDatabaseTranscript(database, sessionId, keeper);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    const line = findDamagedLine(database, sessionId);
    if (line === undefined) throw error;
    throw new OpenBotError(
      error.code,
      `Line ${line} of session '${shortenText(sessionId)}' is damaged. ${error.message}`,
      { hint: error.hint, cause: error },
    );
  }
}

/** The first line that is kept compressed and cannot be read, counted from 1. */
function findDamagedLine(database: OpenclawDatabase, sessionId: string): number | undefined {
  const lines = iterateEventLines(database, sessionId);
  for (let line = 1; ; line++) {
    try {
      if (lines.next().done) return undefined;
    } catch (error) {
      return error instanceof OpenBotError ? line : undefined;
    }
  }
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
  return readUnderstood('changed', database, sessionId, keeper);
}

/** The same of a session that is to be copied within the database. */
export function readSessionToClone(database: OpenclawDatabase, sessionId: string): ReadSession {
  return readUnderstood('cloned', database, sessionId, undefined);
}

function readUnderstood(
  purpose: Purpose,
  database: OpenclawDatabase,
  sessionId: string,
  keeper: LineKeeper | undefined,
): ReadSession {
  const scanned = readFor(purpose, database, sessionId, keeper);
  const { transcript } = scanned;
  const unknown = (why: string) => unknownStructure(sessionId, purpose, why);
  const [broken] = transcript.problems;
  if (broken !== undefined) throw unknown(`line ${broken.line} cannot be read`);
  if (transcript.hasDuplicates) throw unknown('two lines have the same id');
  const misplaced = findMisplacedId(database, sessionId, scanned);
  if (misplaced !== undefined)
    throw unknown(`OpenClaw's own record has the id '${shortenText(misplaced)}' for another line`);
  const projection = projectTranscript(scanned);
  const kept = readProjection(database, sessionId);
  const difference = kept && compareProjections(projection, kept);
  if (difference !== undefined) {
    throw unknown(`OpenClaw's own record of the conversation differs: ${difference}`);
  }
  return { ...scanned, projection, isIndexed: kept !== undefined };
}

/** The lines mean something else than we think. */
export function unknownStructure(sessionId: string, purpose: Purpose, why: string): OpenBotError {
  return unsupported(
    sessionId,
    purpose,
    `its structure is unknown: ${why}`,
    `${UNTOUCHED[purpose]}A wrong guess would lose a part of the conversation. occ clone -o writes it to a file`,
  );
}

function unsupported(sessionId: string, purpose: Purpose, why: string, hint: string): OpenBotError {
  const message = `Session '${shortenText(sessionId)}' cannot be ${purpose}: ${why}`;
  return new OpenBotError('SESSION_UNSUPPORTED', message, { hint });
}
