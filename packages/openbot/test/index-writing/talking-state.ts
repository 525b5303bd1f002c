/** A state folder with conversations, as files. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { type IndexNotice, openIndexDatabase } from '../../src/index-db/index-database.ts';
import { parseQuery } from '../../src/index-search/parse-query.ts';
import { type SearchRequest, searchMessages } from '../../src/index-search/search.ts';
import { catchUp } from '../../src/index-writing/catch-up.ts';
import { placeOfState } from '../../src/index-writing/session-source.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

export const AT = Date.parse('2026-11-10T12:00:00Z');

export const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const lineOf = (line: object) => `${JSON.stringify(line)}\n`;

export const said = (id: string, role: 'user' | 'assistant', text: string, more: object = {}) =>
  lineOf({
    type: 'message',
    id,
    parentId: null,
    timestamp: new Date(AT).toISOString(),
    message: { role, content: [{ type: 'text', text }], ...more },
  });

export interface TalkingState {
  readonly folder: string;
  pathOf(n: number, agentId?: string): string;
  /** Appends lines, and makes the transcript where it is missing. */
  add(n: number, ...lines: string[]): void;
  setEntries(entries: Record<string, { n: number } & Record<string, unknown>>, agentId?: string): void;
}

export function makeTalkingState(folder = makeTempFolder()): TalkingState {
  const sessions = (agentId = 'main') => join(folder, 'agents', agentId, 'sessions');
  const pathOf = (n: number, agentId?: string) => join(sessions(agentId), `${idOf(n)}.jsonl`);
  return {
    folder,
    pathOf,
    add: (n, ...lines) => {
      mkdirSync(sessions(), { recursive: true });
      const header = {
        type: 'session',
        version: 3,
        id: idOf(n),
        timestamp: new Date(AT).toISOString(),
        cwd: '/w',
      };
      try {
        writeFileSync(pathOf(n), lineOf(header), { flag: 'wx' });
      } catch {
        // It is there.
      }
      appendFileSync(pathOf(n), lines.join(''));
    },
    setEntries: (entries, agentId) => {
      mkdirSync(sessions(agentId), { recursive: true });
      const stored = Object.entries(entries).map(([key, { n, ...entry }]) => [
        key,
        { sessionId: idOf(n), updatedAt: AT, ...entry },
      ]);
      writeFileSync(join(sessions(agentId), 'sessions.json'), JSON.stringify(Object.fromEntries(stored)));
    },
  };
}

/** The index of a state folder, and what it finds. */
export async function openIndexOf({ folder }: Pick<TalkingState, 'folder'>) {
  const notices: IndexNotice[] = [];
  const database = await openIndexDatabase(join(folder, 'openbot.sqlite'), {
    report: (notice) => notices.push(notice),
  });
  afterTest(() => database.close());
  const place = placeOfState(folder, { env: { HOME: folder }, cwd: folder });
  const search = (words: string | readonly string[], request: Partial<SearchRequest> = {}) =>
    searchMessages(database, {
      query: parseQuery(typeof words === 'string' ? [words] : words),
      roots: [folder],
      texts: ['said'],
      limit: 10,
      ...request,
    });
  return {
    database,
    place,
    notices,
    catchUp: () => catchUp(database, place),
    search,
    /** The entry ids of what is found. */
    find: async (words: string | readonly string[], request?: Partial<SearchRequest>) =>
      (await search(words, request)).map(({ entryId }) => entryId),
    rows: (sql: string) => database.read(() => database.prepare(sql).all()),
  };
}
