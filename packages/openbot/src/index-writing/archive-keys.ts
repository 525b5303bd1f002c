import { existsSync } from 'node:fs';
import { type IndexDatabase, openIndexDatabase } from '../index-db/index-database.ts';
import type { SessionTraits } from './session-source.ts';
import { writeTraits } from './write-session.ts';

export type ArchiveKeys = readonly (SessionTraits & { readonly path: string })[];

/** What only an index knows: under which keys conversations were before they were reset. */
export async function readArchiveKeys(path: string): Promise<ArchiveKeys> {
  if (!existsSync(path)) return [];
  try {
    const database = await openIndexDatabase(path, { leaveAlone: ['damaged', 'older', 'locked'] });
    const rows = await database
      .read(() =>
        database
          .prepare(
            `SELECT f.path, s.session_id AS sessionId, s.agent_id AS agentId, s.session_key AS sessionKey, s.channel,
               s.label, s.title
             FROM files AS f JOIN sessions AS s ON s.id = f.id
             WHERE f.path LIKE '%.jsonl.reset.%' AND s.session_key IS NOT NULL`,
          )
          .all(),
      )
      .finally(() => database.close());
    return rows as unknown as ArchiveKeys;
  } catch {
    // One that cannot be read says nothing any more.
    return [];
  }
}

export async function writeArchiveKeys(database: IndexDatabase, keys: ArchiveKeys): Promise<void> {
  if (keys.length === 0) return;
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
