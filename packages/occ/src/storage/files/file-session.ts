import type { Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { inspectLock } from '@openbot/sessions/disk';
import { classifySessionFileName, isSessionId } from '@openbot/sessions/layout';
import { readFolderNames, readNames, statFile } from '../../layout/look-at-disk.ts';
import type { TranscriptHead } from '../contract/finding.ts';
import type { FoundSession, SourceName } from '../contract/found-session.ts';
import { type LocatedSession, NO_ENTRIES } from '../contract/located-session.ts';

/** A transcript that no index describes. */
export function locateFile(
  source: SourceName,
  path: string,
  { mtimeMs, size }: Pick<Stats, 'mtimeMs' | 'size'>,
  sessionId: string,
): LocatedSession {
  return {
    source,
    agentId: null,
    sessionId,
    stem: basename(path, '.jsonl'),
    path,
    updatedAt: mtimeMs,
    sizeBytes: size,
    missing: false,
    entries: NO_ENTRIES,
  };
}

export interface TranscriptNames {
  /** What is not named so is not a transcript. */
  readonly pattern: RegExp;
  /** Undefined for a file that is not a session. */
  idOf(name: string, path: string): string | undefined;
}

/** The transcripts in a folder. */
export function locateInFolder(
  source: SourceName,
  folder: string,
  { pattern, idOf }: TranscriptNames,
): LocatedSession[] {
  const found: LocatedSession[] = [];
  for (const name of readNames(folder)) {
    if (!pattern.test(name)) continue;
    const path = join(folder, name);
    const stats = statFile(path);
    const sessionId = stats === undefined ? undefined : idOf(name, path);
    if (sessionId !== undefined) found.push(locateFile(source, path, stats!, sessionId));
  }
  return found;
}

export function listSubfolders(folder: string): string[] {
  return readFolderNames(folder).map((name) => join(folder, name));
}

/** The id in the header, else that in the name of the file. */
export function idOfFile(path: string, head: TranscriptHead | undefined): string {
  return head?.sessionId ?? idInName(path) ?? basename(path, '.jsonl');
}

/** Undefined where the name holds no valid id. */
export function idInName(path: string): string | undefined {
  const known = classifySessionFileName(basename(path));
  return 'sessionId' in known && isSessionId(known.sessionId) ? known.sessionId : undefined;
}

/** A session whose transcript is gone, known by a backup of it. */
export function describeGoneFile(
  source: SourceName,
  path: string,
  sessionId: string,
  head: TranscriptHead | undefined,
): FoundSession & { readonly missing: true } {
  return {
    sessionId,
    agentId: null,
    source,
    cwd: head?.cwd ?? null,
    updatedAt: 0,
    sizeBytes: 0,
    missing: true,
    path,
  };
}

export function isFileLocked({ path }: Pick<LocatedSession, 'path'>): boolean {
  return inspectLock(`${path}.lock`)?.held === true;
}
