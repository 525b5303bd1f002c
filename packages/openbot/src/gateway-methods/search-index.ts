import { OpenBotError } from '@openbot/sessions';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { openIndexDatabase } from '../index-db/index-database.ts';
import { resolveIndexPath } from '../index-db/index-path.ts';
import { type ParsedQuery, parseQuery } from '../index-search/parse-query.ts';
import { type SearchHit, type SearchRequest, searchMessages } from '../index-search/search.ts';
import type { GatewayServices } from './services.ts';

/** The best hits among the messages of a state folder, as `openbot search` finds them: the index is brought up to date first. */
export async function searchIndex(
  { stateDir, env, config }: GatewayServices,
  request: Omit<SearchRequest, 'roots'>,
): Promise<readonly SearchHit[]> {
  if (config.index?.enabled === false)
    throw new OpenBotError('INDEX_UNUSABLE', 'The index is turned off: index.enabled is false', {
      hint: 'Set index.enabled to true in openbot.json',
    });
  const database = await openIndexDatabase(resolveIndexPath(stateDir, env), {
    report: () => {},
    leaveAlone: ['locked'],
  });
  try {
    const { catchUpState } = await import('../index-writing/catch-up-state.ts');
    await catchUpState(database, stateDir, env);
    return await searchMessages(database, { ...request, roots: [stateDir] });
  } finally {
    database.close();
  }
}

/** Words, "phrases" and beginnings (`word*`). */
export function readQuery(query: string): ParsedQuery {
  const parsed = parseQuery(query.includes('"') ? [query] : query.split(/\s+/));
  if (parsed.parts.length === 0) throw refuse('INVALID_REQUEST', 'query required');
  return parsed;
}
