import { dirname, join } from 'node:path';
import { STORE_FILE_NAME } from '@openbot/sessions/layout';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { findText, findWindow, type LocatedSession } from '../storage/contract/located-session.ts';
import type { TranscriptHead } from '../storage/files/transcript-head.ts';
import { readHeadAndTitle } from '../storage/files/transcript-title.ts';
import { readDatabaseTranscript } from '../storage/openclaw-sqlite/database-transcript.ts';

type Draft = { -readonly [Field in keyof FoundSession]: FoundSession[Field] };

/** Adds what only the transcript says. Undefined for a file of pi's folder that pi does not take for a session. */
export function openFound(located: LocatedSession): FoundSession | undefined {
  const { missing } = located;
  if (located.storage === 'sqlite') {
    const { sizeBytes, cwd } = missing ? { sizeBytes: 0 } : readDatabaseTranscript(located);
    return describe({ ...located, sizeBytes }, { cwd });
  }
  const { head, title } = missing ? {} : readHeadAndTitle(located);
  if (located.source === 'pi' && head !== undefined && head.sessionId === undefined) return undefined;
  return describe(located, head, title);
}

function describe(
  located: LocatedSession,
  head: Partial<TranscriptHead> | undefined,
  title?: string,
): FoundSession {
  const { source, storage, missing, cold, entries, formerKey, indexPath } = located;
  const sessionKey = entries[0]?.key ?? formerKey;
  const label = findText(located, 'label');
  const displayName = findText(located, 'displayName') ?? title;
  const window = findWindow(located);
  const found = {
    sessionId: (source === 'pi' ? head?.sessionId : undefined) ?? located.sessionId,
  } as Draft;
  if (sessionKey !== undefined) found.sessionKey = sessionKey;
  found.agentId = located.agentId;
  found.source = source;
  found.path = located.path;
  if (storage !== undefined) found.storage = storage;
  if (indexPath !== undefined && indexPath !== join(dirname(located.path), STORE_FILE_NAME)) {
    found.indexPath = indexPath;
  }
  found.cwd = head?.cwd ?? null;
  found.updatedAt = Math.floor(located.updatedAt);
  found.sizeBytes = located.sizeBytes;
  if (label !== undefined) found.label = label;
  if (displayName !== undefined) found.displayName = displayName;
  if (window !== undefined) found.window = window;
  if (formerKey !== undefined) found.former = true;
  if (cold) found.cold = true;
  if (missing) found.missing = true;
  return found;
}
