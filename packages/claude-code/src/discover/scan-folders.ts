import { ClaudeLineReader } from '@openbot/sessions/lines';
import { type IndexedScan, SessionIndex } from '../session-index/session-index.ts';
import type { SessionFolder } from './session-folders.ts';

export interface ScannedSession extends IndexedScan {
  readonly sessionId: string;
}

export interface ScanEvents {
  /** Sessions looked at so far, of all that there are to look at. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  /** A transcript that cannot be read is left out. */
  readonly onProblem?: (error: Error, sessionId: string) => void;
}

/** A first look at gigabytes takes a while: who ends it loses no more than this. */
const SAVE_EVERY_MS = 2000;

/** While one file is counted, others are fetched from the disk. More of them would only take memory. */
const LANES = 3;

/** Reads the headers of all sessions in the folders, as far as the indexes do not know them. */
export async function scanFolders(
  folders: readonly SessionFolder[],
  cacheDir: string,
  events: ScanEvents = {},
): Promise<ScannedSession[]> {
  const scanned: ScannedSession[] = [];
  const readers: ClaudeLineReader[] = [];
  const total = folders.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
  let done = 0;
  const finish = (session: ScannedSession | undefined) => {
    if (session !== undefined) scanned.push(session);
    done++;
    events.onProgress?.({ done, total });
  };
  for (const { path, sessionIds } of folders) {
    const index = new SessionIndex(path, cacheDir);
    index.retain(new Set(sessionIds));
    const unknown: string[] = [];
    for (const sessionId of sessionIds) {
      const known = index.peek(sessionId);
      if (known === undefined) unknown.push(sessionId);
      else finish({ ...known, sessionId });
    }
    let next = 0;
    let savedAt = performance.now();
    const runLane = async (lane: number): Promise<void> => {
      for (let id = unknown[next++]; id !== undefined; id = unknown[next++]) {
        readers[lane] ??= new ClaudeLineReader();
        finish(await scanOne(index, id, readers[lane], events));
        if (performance.now() - savedAt < SAVE_EVERY_MS) continue;
        savedAt = performance.now();
        await index.save();
      }
    };
    await Promise.all(Array.from({ length: Math.min(LANES, unknown.length) }, (_, lane) => runLane(lane)));
    await index.save();
  }
  return scanned;
}

async function scanOne(
  index: SessionIndex,
  sessionId: string,
  reader: ClaudeLineReader,
  events: ScanEvents,
): Promise<ScannedSession | undefined> {
  try {
    return { ...(await index.scan(sessionId, reader)), sessionId };
  } catch (error) {
    // Removed since it was listed.
    if ((error as { code?: unknown }).code === 'TRANSCRIPT_NOT_FOUND') return undefined;
    events.onProblem?.(error as Error, sessionId);
    return undefined;
  }
}
