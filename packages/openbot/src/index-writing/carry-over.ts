import { existsSync } from 'node:fs';
import { type IndexDatabase, openIndexDatabase } from '../index-db/index-database.ts';
import type { SessionTraits } from './session-source.ts';
import { writeTraits } from './write-session.ts';

/**
 * Puts what no file says from an old index into one that was made anew: under which keys conversations were before they
 * were reset, and vectors, which cost time and money. An old one that cannot be read says nothing any more.
 */
export async function carryOver(oldPath: string, database: IndexDatabase): Promise<void> {
  let old: IndexDatabase;
  try {
    old = await openIndexDatabase(oldPath, { leaveAlone: ['damaged', 'older', 'locked'] });
  } catch {
    return;
  }
  try {
    const keys = await readOld<SessionTraits & { path: string }>(old, KEYS);
    if (keys !== undefined) await writeKeys(database, keys);
    await carryVectors(old, database);
  } finally {
    old.close();
  }
}

async function readOld<Row>(old: IndexDatabase, sql: string, ...values: number[]) {
  try {
    return (await old.read(() => old.prepare(sql).all(...values))) as Row[];
  } catch {
    return undefined;
  }
}

const KEYS = `
SELECT f.path, s.session_id AS sessionId, s.agent_id AS agentId, s.session_key AS sessionKey, s.channel, s.label, s.title
FROM files AS f JOIN sessions AS s ON s.id = f.id
WHERE f.path LIKE '%.jsonl.reset.%' AND s.session_key IS NOT NULL`;

async function writeKeys(
  database: IndexDatabase,
  keys: readonly (SessionTraits & { readonly path: string })[],
): Promise<void> {
  await database.write(() => {
    const find = database.prepare(
      "SELECT id FROM files WHERE path = ? AND part = '' AND session_key IS NULL",
    );
    for (const { path, ...traits } of keys) {
      const id = find.get(path)?.id;
      if (id !== undefined) writeTraits(database, id as number, traits);
    }
  });
}

/** At a time. One has some kilobytes. */
const MOST_VECTORS = 200;

const VECTORS = `
SELECT v.rowid AS id, v.hash, v.model, v.embedding, f.kind, f.source, f.root, f.agent_id AS agentId, f.path, f.part
FROM vectors AS v JOIN files AS f ON f.id = v.file WHERE v.rowid > ? ORDER BY v.rowid LIMIT ${MOST_VECTORS}`;

interface OldVector {
  readonly id: number;
  readonly hash: string;
  readonly model: string;
  readonly embedding: Uint8Array;
  readonly kind: string;
  readonly source: string;
  readonly root: string;
  readonly agentId: string | null;
  readonly path: string;
  readonly part: string;
}

/** Each belongs to a text of a file. Once the file is cut into chunks again, those of other texts go. */
async function carryVectors(old: IndexDatabase, database: IndexDatabase): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await readOld<OldVector>(old, VECTORS, last);
    if (rows === undefined || rows.length === 0) return;
    last = rows.at(-1)!.id;
    await database.write(() => {
      for (const row of rows) writeVector(database, row);
    });
  }
}

function writeVector(database: IndexDatabase, row: OldVector): void {
  const { kind, source, root, agentId, path, part, hash, model, embedding } = row;
  // Sessions are in the new index. Notes come when they are searched, and are read then: no file has an empty hash.
  if (kind === 'memory' && existsSync(path))
    database
      .prepare(
        `INSERT OR IGNORE INTO files (kind, source, root, agent_id, path, mtime, size, generation, position, hash)
         VALUES ('memory', ?, ?, ?, ?, 0, 0, '', 0, '')`,
      )
      .run(source, root, agentId, path);
  database
    .prepare(
      'INSERT OR IGNORE INTO vectors (file, hash, model, embedding) SELECT id, ?, ?, ? FROM files WHERE path = ? AND part = ?',
    )
    .run(hash, model, embedding, path, part);
}
