/** What the words and flags of `openbot search` mean. */
import { OpenBotError } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { parseSince } from '../../config/since.ts';
import { type ParsedQuery, parseQuery } from '../../index-search/parse-query.ts';
import type { SearchRequest } from '../../index-search/search.ts';
import type { SEARCH_FLAGS } from './flags.ts';

export type SearchInput = CommandInput<typeof SEARCH_FLAGS>;

const USUAL_LIMIT = 10;

export function readRequest(
  { words, flags }: SearchInput,
  roots: readonly string[],
  now: number,
): SearchRequest {
  const isOfTools = flags.tools || flags.role === 'tool';
  return {
    query: readQuery(wordsOf({ words })),
    roots,
    texts: isOfTools ? ['said', 'tools'] : ['said'],
    agentId: flags.agent,
    channel: flags.channel,
    speaker: flags.role,
    since: flags.since === undefined ? undefined : readSince(flags.since, now),
    limit: flags.limit ?? USUAL_LIMIT,
  };
}

/** Those that are there. */
export function wordsOf({ words }: Pick<SearchInput, 'words'>): string[] {
  return words.filter((word) => word !== undefined);
}

function readQuery(words: readonly string[]): ParsedQuery {
  const query = parseQuery(words);
  if (query.parts.length > 0) return query;
  throw new OpenBotError('USAGE', 'What do you search for?', {
    hint: `Example: openbot search harbour lighthouse, or a phrase: openbot search "the old harbour"`,
  });
}

/** A day begins in the time of this machine. */
function readSince(text: string, now: number): number {
  const since = parseSince('--since', text, now);
  // A date alone would be taken as one of Greenwich.
  return since.day === undefined ? since.at : new Date(`${since.day}T00:00`).getTime();
}
