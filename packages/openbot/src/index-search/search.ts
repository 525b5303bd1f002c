import type { IndexDatabase } from '../index-db/index-database.ts';
import { HIT_BEGINS, HIT_ENDS } from '../index-db/searchable-text.ts';
import type { ParsedQuery } from './parse-query.ts';
import { makeSnippet, type Snippet } from './snippet.ts';

/** `said` is what people and models wrote; `tools` the calls of tools and the beginnings of their results. */
export type SearchedText = 'said' | 'tools';

export interface SearchRequest {
  readonly query: ParsedQuery;
  /** Only sessions of these places. */
  readonly roots: readonly string[];
  readonly texts: readonly SearchedText[];
  readonly agentId?: string;
  /** Only sessions of these agents. */
  readonly agentIds?: readonly string[];
  readonly channel?: string;
  readonly speaker?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly sessionKey?: string;
  readonly sessionKeys?: readonly string[];
  readonly limit: number;
  /** In characters. */
  readonly snippetLength?: number;
}

export interface SearchHit {
  readonly messageId: number;
  readonly source: string;
  readonly root: string;
  readonly path: string;
  readonly agentId: string | null;
  readonly sessionId: string;
  readonly sessionKey: string | null;
  readonly channel: string | null;
  readonly label: string | null;
  readonly title: string | null;
  readonly speaker: string;
  readonly at: number | null;
  readonly turn: number;
  readonly entryId: string | null;
  readonly text: SearchedText;
  /** Higher is better. Comparable within one search. */
  readonly score: number;
  readonly snippet: Snippet;
}

type Found = Omit<SearchHit, 'snippet' | 'text' | 'score'> & { readonly rank: number };

const SNIPPET_LENGTH = 200;

/** The best hits first; of equally good ones the newest. */
export async function searchMessages(database: IndexDatabase, request: SearchRequest): Promise<SearchHit[]> {
  const { query, limit, texts, snippetLength = SNIPPET_LENGTH } = request;
  if (query.match === '' && query.signs.length === 0) return [];
  return database.read(() => {
    const found = texts.flatMap((text) => find(database, text, request).map((row) => ({ row, text })));
    const best = new Map<number, (typeof found)[number]>();
    for (const one of found.sort((a, b) => compare(a.row, b.row))) {
      if (!best.has(one.row.messageId)) best.set(one.row.messageId, one);
    }
    return [...best.values()].slice(0, limit).map(({ row: { rank, ...row }, text }) => ({
      ...row,
      text,
      score: -rank,
      snippet: makeSnippet(readMarked(database, text, query, row.messageId), snippetLength),
    }));
  });
}

/** Scores that differ by less than a twentieth say nothing. */
const STEPS = 20;
const LOWEST = 1e-9;

function compare(a: Found, b: Found): number {
  return stepOf(b) - stepOf(a) || (b.at ?? 0) - (a.at ?? 0);
}

function stepOf({ rank }: Found): number {
  return Math.round(Math.log(Math.max(-rank, LOWEST)) * STEPS);
}

/** How many of the best are looked at first. A common word is in most messages, and joining all of them takes long. */
const FIRST_LOOK = 400;

function find(database: IndexDatabase, text: SearchedText, request: SearchRequest): Found[] {
  if (request.query.match === '') return findBySigns(database, text, request);
  const few = Math.max(FIRST_LOOK, 10 * request.limit);
  const best = join(database, text, request, few);
  const isAll = best.length < request.limit && countUpTo(database, text, request.query, few) === few;
  return isAll ? join(database, text, request, -1) : best;
}

function countUpTo(
  database: IndexDatabase,
  text: SearchedText,
  { match }: ParsedQuery,
  most: number,
): number {
  const rows = database
    .prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${text} WHERE ${text} MATCH ? LIMIT ?)`)
    .get(match, most);
  return rows?.n as number;
}

/** Those behind the last one may be newer, and of the same step. */
const NEARLY_AS_GOOD = 100;

const COLUMNS = `m.id AS messageId, f.source, f.root, f.path, s.agent_id AS agentId, s.session_id AS sessionId,
  s.session_key AS sessionKey, s.channel, s.label, s.title, m.speaker, m.at, m.turn, m.entry_id AS entryId`;

/**
 * CROSS: what was found leads to its message and not the reverse.
 * @param few how many of the best are looked at; all for a negative number
 */
function join(database: IndexDatabase, text: SearchedText, request: SearchRequest, few: number): Found[] {
  const { where, values } = conditions(text, request);
  return database
    .prepare(
      `SELECT ${COLUMNS}, w.score AS rank
       FROM (SELECT rowid, rank AS score FROM ${text} WHERE ${text} MATCH ? ORDER BY rank LIMIT ?) AS w
       CROSS JOIN messages AS m ON m.id = w.rowid
       CROSS JOIN sessions AS s ON s.id = m.session CROSS JOIN files AS f ON f.id = m.session
       WHERE ${where} ORDER BY w.score, m.at DESC LIMIT ?`,
    )
    .all(request.query.match, few, ...values, request.limit + NEARLY_AS_GOOD) as unknown as Found[];
}

function findBySigns(database: IndexDatabase, text: SearchedText, request: SearchRequest): Found[] {
  const { where, values } = conditions(text, request);
  return database
    .prepare(
      `SELECT ${COLUMNS}, 0 AS rank
       FROM messages AS m JOIN sessions AS s ON s.id = m.session JOIN files AS f ON f.id = m.session
       WHERE ${where} ORDER BY m.at DESC LIMIT ?`,
    )
    .all(...values, request.limit) as unknown as Found[];
}

function conditions(
  text: SearchedText,
  request: SearchRequest,
): { where: string; values: (string | number)[] } {
  const { roots, agentId, agentIds, channel, speaker, since, sessionKey, sessionKeys, query } = request;
  const all: [string, ...(string | number)[]][] = [
    [`f.root IN (${placesFor(roots)})`, ...roots],
    ...query.signs.map(
      (sign) => [`instr((SELECT text FROM ${text} WHERE rowid = m.id), ?) > 0`, sign] as [string, string],
    ),
  ];
  if (agentId !== undefined) all.push(['s.agent_id = ? COLLATE NOCASE', agentId]);
  if (channel !== undefined) all.push(['s.channel = ? COLLATE NOCASE', channel]);
  if (speaker !== undefined) all.push(['m.speaker = ?', speaker]);
  if (since !== undefined) all.push(['m.at >= ?', since]);
  if (sessionKey !== undefined) all.push(['s.session_key = ?', sessionKey]);
  if (agentIds !== undefined) all.push([`s.agent_id IN (${placesFor(agentIds)})`, ...agentIds]);
  if (sessionKeys !== undefined) all.push([`s.session_key IN (${placesFor(sessionKeys)})`, ...sessionKeys]);
  return { where: all.map(([sql]) => sql).join(' AND '), values: all.flatMap(([, ...values]) => values) };
}

function placesFor(values: readonly string[]): string {
  return values.map(() => '?').join(', ');
}

function readMarked(
  database: IndexDatabase,
  text: SearchedText,
  { match, signs }: ParsedQuery,
  id: number,
): string {
  // A number of JavaScript is no integer to SQLite, and FTS5 would ignore it beside a MATCH.
  const row =
    match === ''
      ? database.prepare(`SELECT text FROM ${text} WHERE rowid = ?`).get(id)
      : database
          .prepare(
            `SELECT highlight(${text}, 0, '${HIT_BEGINS}', '${HIT_ENDS}') AS text FROM ${text} WHERE ${text} MATCH ? AND rowid = CAST(? AS INTEGER)`,
          )
          .get(match, id);
  const marked = String(row?.text ?? '');
  return signs.reduce((all, sign) => all.replaceAll(sign, `${HIT_BEGINS}${sign}${HIT_ENDS}`), marked);
}
