import { readTitle } from './claude-sessions.ts';
import type { FoundSession } from './found-session.ts';
import { findText, type LocatedSession } from './located-session.ts';
import { readTranscriptHead } from './transcript-head.ts';

type Draft = { -readonly [Field in keyof FoundSession]: FoundSession[Field] };

/** Adds what only the transcript says. Undefined for a file of pi's folder that pi does not take for a session. */
export function openFound(located: LocatedSession): FoundSession | undefined {
  const { source, missing, entries, titlePath } = located;
  const head = missing ? undefined : readTranscriptHead(located.path);
  if (source === 'pi' && head !== undefined && head.sessionId === undefined) return undefined;
  const [newest] = entries;
  const label = findText(located, 'label');
  const displayName = findText(located, 'displayName') ?? (titlePath && readTitle(titlePath));
  const found = {
    sessionId: (source === 'pi' ? head?.sessionId : undefined) ?? located.sessionId,
  } as Draft;
  if (newest !== undefined) found.sessionKey = newest.key;
  found.agentId = located.agentId;
  found.source = source;
  found.path = located.path;
  found.cwd = head?.cwd ?? null;
  found.updatedAt = Math.floor(located.updatedAt);
  found.sizeBytes = located.sizeBytes;
  if (label !== undefined) found.label = label;
  if (displayName !== undefined) found.displayName = displayName;
  if (missing) found.missing = true;
  return found;
}
