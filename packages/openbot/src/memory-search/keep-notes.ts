import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { cutNote, type MemoryFile, readMemoryFiles } from '@openbot/claude-code';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { withFile } from '../tools/workspace.ts';
import { dropUnusedVectors, replaceChunks } from './keep-chunks.ts';

const MAIN_NOTE = 'MEMORY.md';
const MOST_OF_FILE = 512 * 1024;

export interface Notes {
  readonly files: readonly MemoryFile[];
  /** Of all that are there, also of those that could not be read. */
  readonly names: readonly string[];
  /** How many could not be read. */
  readonly unread: number;
}

/** MEMORY.md and memory/*.md of a workspace, the newest first; of a long one the beginning. */
export async function readNotes(workspaceDir: string): Promise<Notes> {
  const { files, names, unread } = await readMemoryFiles(workspaceDir);
  const text = await withFile(workspaceDir, MAIN_NOTE, async (handle) => {
    const bytes = Buffer.alloc(MOST_OF_FILE);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, bytesRead);
  }).catch(() => undefined);
  const isThere = lstatSync(join(workspaceDir, MAIN_NOTE), { throwIfNoEntry: false }) !== undefined;
  return {
    files: [...(text === undefined ? [] : [{ name: MAIN_NOTE, text }]), ...files],
    names: isThere ? [MAIN_NOTE, ...names] : names,
    unread,
  };
}

/** Brings the chunks of the notes up to date. Those that did not change, or could not be read now, stay as they are. */
export async function keepNotes(
  index: IndexDatabase,
  { agentId, workspaceDir }: { readonly agentId: string; readonly workspaceDir: string },
  { files, names }: Notes,
): Promise<void> {
  const known = await index.read(
    () =>
      new Map(
        index
          .prepare("SELECT path, id, hash FROM files WHERE kind = 'memory' AND root = ?")
          .all(workspaceDir)
          .map(({ path, id, hash }) => [path as string, { id: id as number, hash: hash as string }]),
      ),
  );
  const seen = files.map((file) => ({ file, path: join(workspaceDir, file.name), hash: hashOf(file.text) }));
  const changed = seen.filter(({ path, hash }) => known.get(path)?.hash !== hash);
  const paths = new Set(names.map((name) => join(workspaceDir, name)));
  const gone = [...known].filter(([path]) => !paths.has(path));
  if (changed.length === 0 && gone.length === 0) return;
  await index.write(() => {
    for (const [, { id }] of gone) index.prepare('DELETE FROM files WHERE id = ?').run(id);
    for (const { file, path, hash } of changed) {
      const row = index
        .prepare(
          `INSERT INTO files (kind, source, root, agent_id, path, mtime, size, generation, position, hash)
           VALUES ('memory', 'openbot', ?, ?, ?, ?, ?, '', ?, ?)
           ON CONFLICT (path, part) DO UPDATE SET root = excluded.root, agent_id = excluded.agent_id, mtime = excluded.mtime,
             size = excluded.size, position = excluded.position, hash = excluded.hash
           RETURNING id`,
        )
        .get(workspaceDir, agentId, path, Date.now(), file.text.length, file.text.length, hash);
      const chunks = cutNote(file).map(({ line, endLine, heading, text }) => ({
        first: line,
        last: endLine,
        heading,
        text,
      }));
      replaceChunks(index, { file: row!.id as number, agentId, sessionKey: null }, 0, chunks);
      dropUnusedVectors(index, row!.id as number);
    }
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
