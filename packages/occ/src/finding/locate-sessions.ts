import type { OpenBotError } from '@openbot/sessions';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import { chooseSources } from './source-choice.ts';

/**
 * Every session of the scope, newest first, without opening a transcript. An index or database that cannot be read
 * causes a warning; where nothing was found beside it, an error.
 * @param opened how many of the newest the caller will open
 */
export function locateSessions(scope: SearchScope, opened = 0): LocatedSession[] {
  const faults: OpenBotError[] = [];
  const search = { ...scope, warn: (fault: OpenBotError) => void faults.push(fault) };
  const located = chooseSources(scope)
    .flatMap((source) => source.locate(search, opened))
    .sort(compareByAge);
  if (located.length === 0 && faults[0] !== undefined) throw faults[0];
  for (const fault of faults) scope.warn?.(fault);
  return located;
}

/** Those to choose from. */
export function listOffered({ isOffered }: SearchScope, sessions: FoundSession[]): FoundSession[] {
  return isOffered === undefined ? sessions : sessions.filter(isOffered);
}
