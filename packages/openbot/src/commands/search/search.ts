import { writeJson } from '@openbot/sessions/command-line';
import { formatQuantity, oneLine } from '@openbot/sessions/terminal-text';
import { type SearchHit, type SearchRequest, searchMessages } from '../../index-search/search.ts';
import { type Suggestion, suggest } from '../../index-search/suggest.ts';
import type { CaughtUp } from '../../index-writing/catch-up.ts';
import { againIfReplaced, bringUpToDate, type IndexInUse, locateIndex } from './open-index.ts';
import { readRequest, type SearchInput, wordsOf } from './search-input.ts';
import { describeSuggestions, formatHits, openCommand } from './search-report.ts';

/** Finds messages by their words. */
export async function search(input: SearchInput): Promise<void> {
  const { flags, terminal } = input;
  const now = Date.now();
  // Wrong words are refused before anything is read.
  readRequest(input, [], now);
  const { path, stateDir, places, open } = await locateIndex(input);
  const request = readRequest(
    input,
    places.map(({ root }) => root),
    now,
  );
  const { found, state, help } = places.length === 0 ? NOTHING : await look(input, { open, places, request });
  if (found.length === 0 && flags.agent !== undefined) {
    const folders = flags.source === undefined ? [stateDir] : places.map(({ root }) => root);
    const { assertKnownIn } = await import('../known-agent.ts');
    await assertKnownIn(folders, flags.agent, input);
  }
  const hits = found.slice(0, request.limit);
  const more = found.length > hits.length;
  const openOf = (hit: SearchHit) => openCommand(hit, stateDir, flags);
  const suggestions = help && describeSuggestions(help, request.query, flags);
  if (flags.json) {
    const { sessions, read, removed } = state;
    const index = { path, sessions, read, removed };
    writeJson(terminal, { hits: hits.map((hit) => describeHit(hit, openOf(hit))), more, suggestions, index });
  } else if (hits.length > 0) {
    terminal.write(`${formatHits(hits, openOf, terminal, now)}`);
    if (more) terminal.say(terminal.palette.dim(`\nThere are more: --limit ${2 * request.limit}\n`));
  } else {
    const what = wordsOf(input)
      .map((word) => oneLine(word))
      .join(' ');
    terminal.say(`Nothing found for ${what} in ${formatQuantity(state.sessions, 'session')}.\n`);
    for (const sentence of suggestions ?? []) terminal.say(`${sentence}\n`);
  }
}

interface Looked {
  readonly found: readonly SearchHit[];
  readonly state: Pick<CaughtUp, 'sessions' | 'read' | 'removed'>;
  /** Where nothing was found. */
  readonly help?: Suggestion;
}

/** There is no folder with sessions, and none is made for an index of them. */
const NOTHING: Looked = {
  found: [],
  state: { sessions: 0, read: 0, removed: 0 },
  help: { unknown: [], inTools: false, withoutLimits: false, asWords: false },
};

/** Looks for one hit more than is wanted, which tells whether there are more. */
async function look(
  input: SearchInput,
  { open, places, request }: Pick<IndexInUse, 'open' | 'places'> & { readonly request: SearchRequest },
): Promise<Looked> {
  const database = await open();
  try {
    return await againIfReplaced(async () => {
      const state = await bringUpToDate(input, database, places);
      const found = await searchMessages(database, { ...request, limit: request.limit + 1 });
      return { found, state, help: found.length === 0 ? await suggest(database, request) : undefined };
    });
  } finally {
    database.close();
  }
}

function describeHit(hit: SearchHit, open: string) {
  const {
    source,
    agentId,
    sessionId,
    sessionKey,
    path,
    channel,
    label,
    title,
    turn,
    entryId,
    text,
    snippet,
  } = hit;
  return {
    source,
    agentId,
    sessionId,
    sessionKey,
    path,
    channel,
    label,
    title,
    role: hit.speaker,
    at: hit.at === null ? null : new Date(hit.at).toISOString(),
    turn,
    entryId,
    text,
    score: Math.round(hit.score * 1000) / 1000,
    snippet: { text: snippet.text, highlights: snippet.hits.map(([start, end]) => ({ start, end })) },
    open,
  };
}
