import { join } from 'node:path';
import type { EmbeddingSettings } from '../config/bot-config.ts';
import { type IndexDatabase, type IndexNotice, openIndexDatabase } from '../index-db/index-database.ts';
import { fromSearchable, toSearchable } from '../index-db/searchable-text.ts';
import { type Embedder, openEmbedder } from './embedder.ts';
import { keepConversations } from './keep-conversations.ts';
import { keepNotes, readNotes } from './keep-notes.ts';
import { type FoundBy, mergeRanks } from './merge-ranks.ts';
import { bytesOf, embedMissing, findVectorExtension } from './vectors.ts';

export { rankPassages } from '@openbot/claude-code';
export { readNotes } from './keep-notes.ts';

export interface MemoryQuestion {
  readonly indexPath: string;
  /** The state folder whose conversations are searched: an index may have those of others too. */
  readonly stateDir: string;
  readonly agentId: string;
  readonly workspaceDir: string;
  readonly query: string;
  /** The conversations that may be searched beside the notes. */
  readonly sessionKeys: readonly string[];
  /** One note alone: `memory/2026-11-15.md`. */
  readonly note?: string;
  readonly embedding?: EmbeddingSettings;
  readonly signal: AbortSignal;
  /** Brings the messages of the index up to date. */
  catchUp(index: IndexDatabase): Promise<unknown>;
  /** The index was made anew, or vectors cannot be used. The search goes on. */
  report(message: string): void;
}

export type MemoryHit = { readonly score: number; readonly foundBy: FoundBy; readonly text: string } & (
  | { readonly note: string; readonly line: number; readonly endLine: number; readonly heading: string }
  | { readonly sessionKey: string; readonly at?: number }
);

/** Of a query. */
const MOST_WORDS = 24;
/** Of each ranking. */
const MOST = 100;
/** Messages with any of the words: joining all of them would take long. */
const FIRST_LOOK = 1000;
/** Everything is similar to a degree. */
const MOST_SIMILAR = 20;
/** New chunks are embedded for so long before the search goes on with those that are. */
const EMBEDDING_MS = 15_000;

/** Notes and conversations that have words of the query or, where embeddings are configured, mean something similar. */
export async function searchMemory(question: MemoryQuestion): Promise<MemoryHit[]> {
  const { indexPath, embedding, signal, report } = question;
  const extension = embedding && (await findVectorExtension());
  if (embedding !== undefined && extension === undefined)
    report(
      'index.embedding needs the package sqlite-vec (npm install sqlite-vec). Memory is searched by words.',
    );
  const index = await openIndexDatabase(indexPath, {
    extension,
    report: ({ message }: IndexNotice) => report(message),
  });
  try {
    await keepNotes(index, question, await readNotes(question.workspaceDir));
    if (question.sessionKeys.length > 0) await question.catchUp(index);
    const meaning =
      embedding === undefined || extension === undefined
        ? undefined
        : await prepareVectors(index, openEmbedder(embedding), question);
    return await index.read(() => rank(index, question, meaning));
  } finally {
    index.close();
    signal.throwIfAborted();
  }
}

/** What the query is compared by; undefined where the endpoint fails. */
async function prepareVectors(
  index: IndexDatabase,
  embedder: Embedder,
  question: MemoryQuestion,
): Promise<Meaning | undefined> {
  const { query, sessionKeys, signal, report } = question;
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(EMBEDDING_MS)]);
  try {
    // First the query: an endpoint that fails for it would fail for the rest.
    const [vector] = await embedder.embed([query], limited());
    if (sessionKeys.length > 0) await keepConversations(index, question, limited());
    await embedMissing(index, embedder, question, limited());
    return { model: embedder.name, vector: vector! };
  } catch (error) {
    signal.throwIfAborted();
    report(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

interface Meaning {
  readonly model: string;
  readonly vector: Float32Array;
}

type Row = Readonly<Record<string, unknown>>;

function rank(
  index: IndexDatabase,
  question: Pick<MemoryQuestion, 'agentId' | 'workspaceDir' | 'stateDir' | 'query' | 'sessionKeys' | 'note'>,
  meaning: Meaning | undefined,
): MemoryHit[] {
  const { agentId, workspaceDir, stateDir, query, sessionKeys, note } = question;
  const path = note === undefined ? null : join(workspaceDir, note);
  const notes = { root: workspaceDir, path };
  const conversations = { agent: agentId, state: stateDir, keys: JSON.stringify(sessionKeys) };
  const words = toWordQuery(query);
  const byWords =
    words === undefined
      ? []
      : [
          index.prepare(NOTES_BY_WORDS).all({ ...notes, words, most: MOST }),
          index.prepare(MESSAGES_BY_WORDS).all({ ...conversations, words, few: FIRST_LOOK, most: MOST }),
        ];
  const lists = byWords.map((items) => ({ by: 'words' as const, items: items as readonly Row[] }));
  if (meaning !== undefined) {
    const { model, vector } = meaning;
    const items = index.prepare(BY_MEANING).all({
      ...notes,
      ...conversations,
      most: MOST_SIMILAR,
      model,
      vector: bytesOf(vector),
    });
    return toHits(workspaceDir, [...lists, { by: 'meaning', items }]);
  }
  return toHits(workspaceDir, lists);
}

function toHits(
  workspaceDir: string,
  lists: readonly { readonly by: 'words' | 'meaning'; readonly items: readonly Row[] }[],
): MemoryHit[] {
  return mergeRanks(lists, ({ id, message }) => (id === null ? `message ${message}` : `chunk ${id}`)).map(
    ({ item, score, foundBy }) => {
      const common = { score, foundBy, text: fromSearchable(item.text as string) };
      if (item.session_key !== null) return { ...common, sessionKey: item.session_key as string };
      return {
        ...common,
        note: (item.path as string).slice(workspaceDir.length + 1),
        line: item.first as number,
        endLine: item.last as number,
        heading: item.heading as string,
      };
    },
  );
}

/** Every word may be the one; those that are rare count more. Short ones are in most messages. */
function toWordQuery(query: string): string | undefined {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  const long = all.filter((word) => word.length > 2 || /[^a-z]/.test(word));
  const words = (long.length > 0 ? long : all).slice(0, MOST_WORDS);
  return words.length === 0 ? undefined : words.map((word) => `"${toSearchable(word)}"`).join(' OR ');
}

const NOTES_BY_WORDS = `
SELECT c.id, NULL AS message, NULL AS session_key, f.path, c.first, c.last, c.heading, c.text
FROM chunk_words w JOIN chunks c ON c.id = w.rowid JOIN files f ON f.id = c.file
WHERE chunk_words MATCH :words AND f.kind = 'memory' AND f.root = :root AND (:path IS NULL OR f.path = :path)
ORDER BY bm25(chunk_words), f.path DESC LIMIT :most`;

/** What was said in the state folder itself, by the agent in conversations that may be searched. */
const REACHABLE = `f.root = :state AND f.source = 'openbot' AND f.kind = 'transcript' AND f.agent_id = :agent`;

/** A message that is in a chunk is found as that chunk, so that words and meaning find the same. */
const MESSAGES_BY_WORDS = `
SELECT (SELECT c.id FROM chunks c WHERE c.file = m.session AND c.first <= m.id AND c.last >= m.id LIMIT 1) AS id,
  m.id AS message, s.session_key, w.text
FROM (SELECT rowid, rank AS score, snippet(said, 0, '', '', '…', 60) AS text FROM said
  WHERE said MATCH :words ORDER BY rank LIMIT CAST(:few AS INTEGER)) AS w
CROSS JOIN messages m ON m.id = w.rowid CROSS JOIN sessions s ON s.id = m.session CROSS JOIN files f ON f.id = m.session
WHERE ${REACHABLE} AND m.speaker IN ('user', 'assistant') AND s.session_key IN (SELECT value FROM json_each(:keys))
ORDER BY w.score, m.id DESC LIMIT :most`;

const BY_MEANING = `
SELECT c.id, NULL AS message, c.session_key, f.path, c.first, c.last, c.heading, c.text
FROM vectors v JOIN chunks c ON c.file = v.file AND c.hash = v.hash JOIN files f ON f.id = c.file
WHERE v.model = :model AND length(v.embedding) = length(:vector)
  AND ((f.kind = 'memory' AND f.root = :root AND (:path IS NULL OR f.path = :path))
    OR (${REACHABLE} AND c.session_key IN (SELECT value FROM json_each(:keys))))
ORDER BY vec_distance_cosine(v.embedding, :vector) LIMIT :most`;
