import type { IndexDatabase } from '../index-db/index-database.ts';
import { fromSearchable } from '../index-db/searchable-text.ts';
import { type Chunk, dropUnusedVectors, replaceChunks } from './keep-chunks.ts';

const LONGEST_CHUNK = 1500;
/** Of one session, in one transaction. Other processes wait for it, and so does all else in this one. */
const MOST_MESSAGES = 200;

/**
 * Cuts what was said since the last time into chunks, for vectors, as far as the signal allows. Words are found in the
 * messages themselves. The last chunk of a session grows with it.
 */
export async function keepConversations(
  index: IndexDatabase,
  { agentId, stateDir }: { readonly agentId: string; readonly stateDir: string },
  signal: AbortSignal,
): Promise<void> {
  for (let isDone = false; !isDone && !signal.aborted; ) {
    isDone = await index.write(() => {
      const due = index.prepare(DUE).get(agentId, stateDir);
      if (due === undefined) return true;
      const owner = { file: due.id as number, agentId, sessionKey: due.session_key as string | null };
      cutNext(index, owner, due.newest as number);
      return false;
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const DUE = `
SELECT f.id, f.session_key, (SELECT max(m.id) FROM messages m WHERE m.session = f.id) AS newest
FROM files f WHERE f.kind = 'transcript' AND f.source = 'openbot' AND f.agent_id = ? AND f.root = ? AND newest > f.chunked_to
LIMIT 1`;

function cutNext(
  index: IndexDatabase,
  owner: { readonly file: number; readonly agentId: string; readonly sessionKey: string | null },
  newest: number,
): void {
  const last = index.prepare('SELECT max(first) AS first FROM chunks WHERE file = ?').get(owner.file);
  const from = (last?.first as number | null) ?? 0;
  const messages = index
    .prepare(
      `SELECT m.id, m.speaker, s.text FROM messages m JOIN said s ON s.rowid = m.id
       WHERE m.session = ? AND m.id >= ? AND m.speaker IN ('user', 'assistant') ORDER BY m.id LIMIT ?`,
    )
    .all(owner.file, from, MOST_MESSAGES) as unknown as readonly SaidMessage[];
  replaceChunks(index, owner, from, gather(messages));
  const isEnd = messages.length < MOST_MESSAGES;
  if (isEnd) dropUnusedVectors(index, owner.file);
  const to = isEnd ? newest : messages.at(-1)!.id;
  index.prepare('UPDATE files SET chunked_to = ? WHERE id = ?').run(to, owner.file);
}

interface SaidMessage {
  readonly id: number;
  readonly speaker: string;
  readonly text: string;
}

function gather(messages: readonly SaidMessage[]): Chunk[] {
  const chunks: (Chunk & { text: string; last: number })[] = [];
  for (const { id, speaker, text } of messages) {
    const line = `${speaker}: ${fromSearchable(text).slice(0, LONGEST_CHUNK)}`;
    const open = chunks.at(-1);
    if (open !== undefined && open.text.length + line.length < LONGEST_CHUNK) {
      open.text += `\n${line}`;
      open.last = id;
    } else chunks.push({ first: id, last: id, heading: '', text: line });
  }
  return chunks;
}
