import type { IndexDatabase } from '../index-db/index-database.ts';
import type { Embedder } from './embedder.ts';

/** At a time: what is written is not asked for again where the rest fails. */
const BATCH = 64;

/** Makes the vectors that are missing, the newest chunks first, as far as the signal allows. */
export async function embedMissing(
  index: IndexDatabase,
  embedder: Embedder,
  of: { readonly agentId: string; readonly workspaceDir: string; readonly stateDir: string },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const missing = await index.read(() =>
      index
        .prepare(
          `SELECT c.id, c.heading, c.text FROM chunks c JOIN files f ON f.id = c.file
           WHERE ((f.kind = 'memory' AND f.root = ?) OR (f.kind = 'transcript' AND f.root = ? AND f.agent_id = ?))
           AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.file = c.file AND v.hash = c.hash AND v.model = ?)
           GROUP BY c.file, c.hash ORDER BY c.id DESC LIMIT ?`,
        )
        .all(of.workspaceDir, of.stateDir, of.agentId, embedder.name, BATCH),
    );
    if (missing.length === 0) return;
    const texts = missing.map(({ heading, text }) => `${heading}\n${text}`.trim());
    const vectors = await embedder.embed(texts, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (vectors === undefined) return;
    await index.write(() => {
      for (const [at, { id }] of missing.entries()) {
        // Another process may have removed the chunk, or embedded it.
        index
          .prepare(
            'INSERT OR IGNORE INTO vectors (file, hash, model, embedding) SELECT file, hash, ?, ? FROM chunks WHERE id = ?',
          )
          .run(embedder.name, bytesOf(vectors[at]!), id as number);
      }
    });
  }
}

export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The file of sqlite-vec, where it is installed for this machine. */
export async function findVectorExtension(): Promise<string | undefined> {
  try {
    const { getLoadablePath } = await import('sqlite-vec');
    return getLoadablePath();
  } catch {
    return undefined;
  }
}
