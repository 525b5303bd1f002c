import { OpenBotError } from '@openbot/sessions';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { type ParsedQuery, parseQuery } from '../index-search/parse-query.ts';
import type { SearchHit, SearchRequest } from '../index-search/search.ts';
import type { GatewayServices } from './services.ts';

/** The best hits among the messages of a state folder, as `openbot search` finds them. */
export async function searchIndex(
  call: MethodCall<GatewayServices>,
  request: Omit<SearchRequest, 'roots'>,
): Promise<readonly SearchHit[]> {
  const { worker, config } = call.services;
  if (config.index?.enabled === false)
    throw new OpenBotError('INDEX_UNUSABLE', 'The index is turned off: index.enabled is false', {
      hint: 'Set index.enabled to true in openbot.json',
    });
  return worker.run('search', request, call);
}

/** Words, "phrases" and beginnings (`word*`). */
export function readQuery(query: string): ParsedQuery {
  const parsed = parseQuery(query.includes('"') ? [query] : query.split(/\s+/));
  if (parsed.parts.length === 0) throw refuse('INVALID_REQUEST', 'query required');
  return parsed;
}
