import { UsageError } from '../errors.ts';
import { findCurrentSession } from './current-session.ts';
import type { ResolvedSession, SearchPlace } from './found-session.ts';
import { findSessionAtPath, isMeantAsPath } from './session-at-path.ts';
import { findSessionByName } from './session-by-name.ts';

/**
 * The session that a person or an agent means: by full id, unique beginning of an id, session key in any spelling, label
 * or path; without a name the current one. A session whose transcript is gone is never given.
 */
export async function resolveSession(
  place: SearchPlace,
  name?: string | undefined,
): Promise<ResolvedSession> {
  if (name === undefined) return findCurrentSession(place);
  const wanted = name.trim();
  if (wanted === '')
    throw new UsageError('The name of the session is empty', 'Leave it out for the current one');
  const find = isMeantAsPath(place, wanted) ? findSessionAtPath : findSessionByName;
  return { session: find(place, wanted), foundBy: 'argument' };
}
