import { join } from 'node:path';
import { ClaudeLineReader } from '@openbot/sessions/lines';
import { type IndexedScan, SessionIndex } from '../session-index/session-index.ts';
import type { SessionFolder } from './session-folders.ts';

export interface ScannedSession extends IndexedScan {
  readonly sessionId: string;
  /** The name of its project folder. */
  readonly slug: string;
  readonly path: string;
}

export interface ScanProgress {
  /** Sessions read so far. */
  readonly done: number;
  /** Sessions to read in all. */
  readonly total: number;
  /** The fraction of a large session that has been read so far. */
  readonly partOfLarge?: number;
}

interface ScanEvents {
  readonly onProgress?: (progress: ScanProgress) => void;
  /**
   * Called for what cannot be read and is left out: the transcript of a session or, without an id, a whole folder or
   * the registry of an agent.
   */
  readonly onProblem?: (error: Error, sessionId: string | undefined) => void;
}

export interface ScanOptions extends ScanEvents {
  /** Stops the search and throws its reason. What was read is kept for the next search, also half a transcript. */
  readonly signal?: AbortSignal;
}

/** The first search of gigabytes takes a while: stopping it loses no more than this. */
const SAVE_EVERY_MS = 2000;

/** For smaller files no progress is reported. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** While one file is counted, others are read from the disk. More of them would only take memory. */
const LANES = 3;

/** Reads the headers of all sessions in the folders, except those that the indexes contain. */
export async function scanFolders(
  folders: readonly SessionFolder[],
  cacheDir: string,
  options: ScanOptions = {},
): Promise<ScannedSession[]> {
  const { onProgress, signal } = options;
  const scanned: ScannedSession[] = [];
  const readers: ClaudeLineReader[] = [];
  const total = folders.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
  let done = 0;
  const finish = (session: ScannedSession | undefined) => {
    if (session !== undefined) scanned.push(session);
    done++;
    onProgress?.({ done, total });
  };
  const tellPart = (read: number, size: number) => {
    if (size >= LARGE_BYTES) onProgress?.({ done, total, partOfLarge: read / size });
  };
  for (const { path, slug, sessionIds, present } of folders) {
    const index = new SessionIndex(path, cacheDir);
    index.retain(present);
    const pathOf = (sessionId: string) => join(path, `${sessionId}.jsonl`);
    const unknown: string[] = [];
    for (const sessionId of sessionIds) {
      const known = index.peek(sessionId);
      if (known === undefined) unknown.push(sessionId);
      else finish({ ...known, sessionId, slug, path: pathOf(sessionId) });
    }
    let next = 0;
    let savedAt = performance.now();
    const runLane = async (lane: number): Promise<void> => {
      for (let id = unknown[next++]; id !== undefined && !signal?.aborted; id = unknown[next++]) {
        readers[lane] ??= new ClaudeLineReader();
        const scan = await scanOne(index, id, readers[lane], options, tellPart);
        if (scan === undefined && signal?.aborted) return;
        finish(scan && { ...scan, sessionId: id, slug, path: pathOf(id) });
        if (performance.now() - savedAt < SAVE_EVERY_MS) continue;
        savedAt = performance.now();
        await index.save();
      }
    };
    await Promise.all(Array.from({ length: Math.min(LANES, unknown.length) }, (_, lane) => runLane(lane)));
    await index.save();
    if (done < total) signal?.throwIfAborted();
  }
  return scanned;
}

async function scanOne(
  index: SessionIndex,
  sessionId: string,
  reader: ClaudeLineReader,
  { onProblem, signal }: ScanOptions,
  onRead: (read: number, size: number) => void,
): Promise<IndexedScan | undefined> {
  try {
    return await index.scan(sessionId, reader, onRead, signal);
  } catch (error) {
    if (signal?.aborted) return undefined;
    // It was removed after it was listed.
    if ((error as { code?: unknown }).code === 'TRANSCRIPT_NOT_FOUND') return undefined;
    onProblem?.(error as Error, sessionId);
    return undefined;
  }
}
