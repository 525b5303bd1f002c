import { createHash } from 'node:crypto';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { toSearchable } from '../index-db/searchable-text.ts';

export interface Chunk {
  /** Lines of a note, or ids of messages. */
  readonly first: number;
  readonly last: number;
  readonly heading: string;
  readonly text: string;
}

export interface ChunkOwner {
  readonly file: number;
  readonly agentId: string | null;
  readonly sessionKey: string | null;
}

/** Puts the chunks of a file from `from` on in the place of those that are there. Only inside of `write`. */
export function replaceChunks(
  index: IndexDatabase,
  { file, agentId, sessionKey }: ChunkOwner,
  from: number,
  chunks: readonly Chunk[],
): void {
  const kept = takeSame(index, file, from, chunks);
  for (const [at, { first, last, heading, text }] of chunks.entries()) {
    if (kept.has(at)) continue;
    const { lastInsertRowid } = index
      .prepare(
        'INSERT INTO chunks (file, agent_id, session_key, first, last, hash, heading, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(file, agentId, sessionKey, first, last, hashOf(chunks[at]!), heading, text);
    index
      .prepare('INSERT INTO chunk_words (rowid, text) VALUES (?, ?)')
      .run(lastInsertRowid, toSearchable(`${heading}\n${text}`));
  }
}

/** A chunk that is there in the same words stays, with its vectors, which cost time and money. The others go. */
function takeSame(
  index: IndexDatabase,
  file: number,
  from: number,
  chunks: readonly Chunk[],
): ReadonlySet<number> {
  const wanted = Map.groupBy(chunks.entries(), ([, chunk]) => hashOf(chunk));
  const kept = new Set<number>();
  for (const row of index
    .prepare('SELECT id, hash FROM chunks WHERE file = ? AND first >= ?')
    .all(file, from)) {
    const same = wanted.get(row.hash as string)?.shift();
    if (same === undefined) {
      index.prepare('DELETE FROM chunks WHERE id = ?').run(row.id as number);
      continue;
    }
    const [at, { first, last }] = same;
    index.prepare('UPDATE chunks SET first = ?, last = ? WHERE id = ?').run(first, last, row.id as number);
    kept.add(at);
  }
  return kept;
}

/** Of a file whose chunks are complete: vectors that a former index had for other texts. */
export function dropUnusedVectors(index: IndexDatabase, file: number): void {
  index
    .prepare(
      `DELETE FROM vectors WHERE file = ?
       AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.file = vectors.file AND c.hash = vectors.hash)`,
    )
    .run(file);
}

function hashOf({ heading, text }: Chunk): string {
  return createHash('sha256').update(`${heading}\n${text}`).digest('base64url');
}
