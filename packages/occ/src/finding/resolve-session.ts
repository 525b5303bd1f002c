import { OpenBotError, reportProgress } from '@openbot/sessions';
import { isCallingSession } from '../callers/calling-session.ts';
import type { ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import { findCurrentSession } from './current-session.ts';
import { findSessionAtPath, isMeantAsPath } from './session-at-path.ts';
import { findSessionByName } from './session-by-name.ts';

/**
 * The session that a name means: by full id, unique beginning of an id, session key in any spelling, label,
 * title or path; without a name the current one. Throws for a session whose transcript is gone.
 */
export async function resolveSession(scope: SearchScope, name?: string): Promise<ResolvedSession> {
  reportProgress({ step: 'find', text: 'Looking for the session' });
  if (name === undefined) return findCurrentSession(scope);
  const wanted = name.trim();
  if (wanted === '')
    throw new OpenBotError('USAGE', 'The name of the session is empty', {
      hint: 'Leave it out for the current one',
    });
  const find = isMeantAsPath(scope, wanted) ? findSessionAtPath : findSessionByName;
  const session = await find(scope, wanted);
  // An agent that names its own session still runs in it.
  return { session, foundBy: (await isCallingSession(scope, session)) ? 'calling-command' : 'argument' };
}
