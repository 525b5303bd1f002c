import { OpenBotError } from '../errors.ts';
import type { StoredSession } from '../store/contract.ts';
import { isLive, requireEntry, sessionNotFound } from './locate-entry.ts';
import { openPlace, type PlaceParams, readOwnKey } from './session-place.ts';

export type SessionName = { sessionKey: string } | { sessionId: string } | { label: string };

/**
 * The session that a person means: by key in any spelling, by session id, or by label. SESSION_NOT_FOUND when there is
 * none; INVALID_ARGUMENT when a label means several.
 */
export async function resolveSession(params: PlaceParams & SessionName): Promise<StoredSession> {
  const place = openPlace(params);
  if ('sessionKey' in params) {
    return requireEntry(place.store, place, readOwnKey(place, params.sessionKey));
  }
  const what = 'sessionId' in params ? params.sessionId : params.label;
  const wanted = typeof what === 'string' ? what.trim() : '';
  if (wanted === '') throw new OpenBotError('INVALID_ARGUMENT', 'A session needs a key, an id or a label');
  const field = 'sessionId' in params ? 'sessionId' : 'label';
  const named = (await place.store.list()).filter((one) => one.entry[field] === wanted && isLive(one));
  const [first, second] = named;
  if (first === undefined) throw sessionNotFound(JSON.stringify(wanted), place);
  if (second !== undefined && field === 'label') {
    throw new OpenBotError(
      'INVALID_ARGUMENT',
      `${named.length} sessions have the label ${JSON.stringify(wanted)}`,
      {
        hint: `Use a key: ${named.map(({ key }) => key).join(', ')}.`,
      },
    );
  }
  return named.reduce((best, one) => (one.entry.updatedAt > best.entry.updatedAt ? one : best), first);
}
