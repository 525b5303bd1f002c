import { randomBytes } from 'node:crypto';
import type { OpenclawDatabase } from '../open-database.ts';

/** Changes with every change of the lines of a session. */
interface TranscriptVersion {
  /** The same as long as lines are only added. */
  readonly generation: string | null;
  readonly lastSeq: number;
  readonly updatedAt: number | null;
}

export function readTranscriptVersion(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
): TranscriptVersion {
  const row = db
    .prepare(
      `SELECT (SELECT generation FROM transcript_rewrite_watermarks WHERE session_id = ?) AS generation,
         (SELECT CAST(max(seq) AS REAL) FROM transcript_events WHERE session_id = ?) AS lastSeq,
         (SELECT transcript_updated_at FROM session_windows WHERE session_id = ?) AS updatedAt`,
    )
    .get(sessionId, sessionId, sessionId) as {
    generation: string | null;
    lastSeq: number | null;
    updatedAt: number | null;
  };
  return { generation: row.generation, lastSeq: row.lastSeq ?? -1, updatedAt: row.updatedAt };
}

/** Of every session that has lines in the database. */
export function listTranscriptVersions({ db }: Pick<OpenclawDatabase, 'db'>): Map<string, TranscriptVersion> {
  const rows = db.prepare(
    `SELECT e.session_id AS sessionId, e.lastSeq,
       (SELECT generation FROM transcript_rewrite_watermarks AS r WHERE r.session_id = e.session_id) AS generation,
       (SELECT transcript_updated_at FROM session_windows AS w WHERE w.session_id = e.session_id) AS updatedAt
     FROM (SELECT session_id, CAST(max(seq) AS REAL) AS lastSeq FROM transcript_events GROUP BY session_id) AS e`,
  );
  const versions = new Map<string, TranscriptVersion>();
  for (const row of rows.iterate() as Iterable<unknown>) {
    const { sessionId, ...version } = row as { sessionId: string } & TranscriptVersion;
    versions.set(sessionId, version);
  }
  return versions;
}

export function isSameVersion(one: TranscriptVersion, other: TranscriptVersion): boolean {
  return (
    one.generation === other.generation && one.lastSeq === other.lastSeq && one.updatedAt === other.updatedAt
  );
}

export function makeGeneration(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Tells OpenClaw that lines were rewritten: what it remembers of the session no longer holds. The time moves on by no more
 * than it must, so that the session does not look recently used.
 */
export function markRewritten(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
  generation: string,
  now: number,
): void {
  db.prepare(
    `INSERT INTO transcript_rewrite_watermarks (session_id, generation, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET generation = excluded.generation, updated_at = excluded.updated_at`,
  ).run(sessionId, generation, now);
  db.prepare(
    `UPDATE session_windows SET transcript_updated_at =
       1 + max(coalesce(transcript_updated_at, updated_at), coalesce(transcript_observed_at, -1))
     WHERE session_id = ?`,
  ).run(sessionId);
}
