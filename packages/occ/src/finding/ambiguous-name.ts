import type { OpenBotError } from '@openbot/sessions';
import { AmbiguousSessionError, shortenText } from '../errors.ts';
import type { LocatedSession } from '../storage/contract/located-session.ts';

const MOST_MATCHES_SHOWN = 10;

/** @param hint how to distinguish them, where a longer id does not */
export function ambiguousName(
  name: string,
  matches: readonly LocatedSession[],
  hint = adviseOn(name, matches),
): OpenBotError {
  const sources = new Set(matches.map(({ source }) => source));
  const agents = new Set(matches.map(({ agentId }) => agentId));
  const ids = matches.map(({ sessionId }) => sessionId);
  const shown = matches.slice(0, MOST_MATCHES_SHOWN).map((match) => {
    const isRepeated = ids.filter((id) => id === match.sessionId).length > 1;
    const [entry] = match.entries;
    const formerKey = match.formerKey && `formerly ${shortenText(match.formerKey)}`;
    const notes = [
      entry === undefined ? formerKey : shortenText(entry.key),
      sources.size > 1 ? match.source : undefined,
      agents.size > 1 && match.entries.length === 0 && match.agentId !== null ? match.agentId : undefined,
      isRepeated ? match.path : undefined,
    ].filter((note) => note !== undefined);
    const id = shortenText(match.sessionId);
    return notes.length === 0 ? id : `${id} (${notes.join(', ')})`;
  });
  const rest = matches.length - shown.length;
  return new AmbiguousSessionError(name, ids, hint, rest === 0 ? shown : [...shown, `and ${rest} more`]);
}

/** How to distinguish them; undefined where a longer id does. */
function adviseOn(name: string, matches: readonly LocatedSession[]): string | undefined {
  const count = (values: unknown[]) => new Set(values).size;
  if (count(matches.map(({ sessionId }) => sessionId)) === 1) {
    if (count(matches.map(({ source }) => source)) > 1) return 'Choose one with --source, or give its path';
    if (count(matches.map(({ agentId }) => agentId)) > 1) return 'Choose one with --agent, or give its path';
    return 'They have the same id: give the path of the one that you mean';
  }
  const wanted = name.toLowerCase();
  const isBeginning = ({ sessionId, stem }: LocatedSession) =>
    sessionId.toLowerCase().startsWith(wanted) || stem.toLowerCase().startsWith(wanted);
  return matches.every(isBeginning) ? undefined : 'Give the id of the one that you mean';
}
