import { OpenBotError, type StoredSession } from '@openbot/sessions';
import { listSessionKeySpellings, toAgentStoreSessionKey } from '@openbot/sessions/key';
import { findNearest, shorten } from '@openbot/sessions/terminal-text';
import type { SessionKeeper } from './contract.ts';

/** A session, and what keeps it. */
export interface FoundSession extends StoredSession {
  readonly keeper: SessionKeeper;
}

const MOST_SHOWN = 10;

/**
 * The session that a person means: by key in any spelling, with or without the agent in front, by session id, by label, or
 * by the beginning of an id. What fits exactly wins over a beginning. Throws SESSION_NOT_FOUND or AMBIGUOUS_SESSION.
 */
export function findSession(
  keepers: readonly SessionKeeper[],
  name: string,
  { mainKey }: { readonly mainKey?: string } = {},
): FoundSession {
  const wanted = name.trim().toLowerCase();
  const sessions = keepers.flatMap((keeper) => keeper.list().map((session) => ({ ...session, keeper })));
  const spellings = new Map(keepers.map((keeper) => [keeper, spell(wanted, keeper.agentId, mainKey)]));
  const rules: ((session: FoundSession) => boolean)[] = [
    ({ key }) => key.toLowerCase() === wanted,
    ({ key, keeper }) => spellings.get(keeper)!.includes(key.toLowerCase()),
    ({ entry }) => entry.sessionId?.toLowerCase() === wanted,
    ({ entry }) => entry.label?.trim().toLowerCase() === wanted,
    ({ entry }) => entry.sessionId?.toLowerCase().startsWith(wanted) ?? false,
  ];
  for (const rule of rules) {
    const [first, ...others] = wanted === '' ? [] : sessions.filter(rule);
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined) throw ambiguous(name, [first, ...others]);
  }
  throw notFound(name, sessions, keepers);
}

/** The session of a key, in any spelling. */
export function findByKey(
  { list, agentId }: SessionKeeper,
  key: string,
  { mainKey }: { readonly mainKey?: string } = {},
): StoredSession | undefined {
  const wanted = key.trim().toLowerCase();
  const spellings = [wanted, ...spell(wanted, agentId, mainKey)];
  return list().find((session) => spellings.includes(session.key.toLowerCase()));
}

function spell(wanted: string, agentId: string, mainKey: string | undefined): readonly string[] {
  try {
    const key = toAgentStoreSessionKey({ agentId, requestKey: wanted, mainKey });
    return [...listSessionKeySpellings(wanted, { mainKey }), ...listSessionKeySpellings(key, { mainKey })];
  } catch {
    // It is no key; it may be a label.
    return [];
  }
}

function ambiguous(name: string, matches: readonly FoundSession[]): OpenBotError {
  const shown = matches
    .slice(0, MOST_SHOWN)
    .map(({ key, entry }) => `${entry.sessionId} (${shorten(key, 80)})`);
  const rest = matches.length - shown.length;
  const lines = [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])];
  return new OpenBotError(
    'AMBIGUOUS_SESSION',
    [`'${shorten(name, 80)}' means ${matches.length} sessions:`, ...lines].join('\n'),
    {
      hint: 'Give the whole id or the key of one; --agent limits the search to one agent',
      details: { keys: matches.map(({ key }) => key) },
    },
  );
}

function notFound(
  name: string,
  sessions: readonly FoundSession[],
  keepers: readonly SessionKeeper[],
): OpenBotError {
  const names = sessions.flatMap(({ key, entry }) => [
    key,
    key.replace(/^agent:[^:]*:/, ''),
    ...(entry.label ? [entry.label] : []),
  ]);
  const nearest = sessions.length > MOST_COMPARED ? undefined : findNearest(name, names);
  const where = keepers.map(({ path }) => path).join(', ');
  const meant = nearest === undefined ? '' : `Did you mean ${nearest}? `;
  return new OpenBotError('SESSION_NOT_FOUND', `There is no session '${shorten(name, 80)}' in ${where}`, {
    hint: `${meant}'openbot sessions' lists them; a session is named by its key, its id, the beginning of its id, or its label`,
  });
}

/** Comparing takes a while for each. */
const MOST_COMPARED = 5000;
