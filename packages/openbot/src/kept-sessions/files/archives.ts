import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { classifySessionFileName } from '@openbot/sessions/layout';
import type { KeptArchive } from '../contract.ts';

/** Beside an archive: the entry that its session had, and under which key. Alone where there was no transcript. */
export const ENTRY_ENDING = '.entry.json';

/** Former states of the transcripts of a sessions folder, the newest first. */
export function listArchives(folder: string, sessionId?: string): KeptArchive[] {
  const backups = join(folder, 'backups');
  const names = readNames(folder);
  return [
    ...names.flatMap((name) => readArchive(folder, name, names)),
    ...readNames(backups).flatMap((name) => readBackup(backups, name)),
  ]
    .filter((archive) => sessionId === undefined || archive.sessionId === sessionId)
    .sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
}

function readArchive(folder: string, name: string, names: readonly string[]): KeptArchive[] {
  const isEntry = name.endsWith(ENTRY_ENDING);
  const archive = isEntry ? name.slice(0, -ENTRY_ENDING.length) : name;
  const file = classifySessionFileName(archive);
  if (file.kind !== 'archive' || file.sessionId === undefined || (isEntry && names.includes(archive)))
    return [];
  const { reason: kind, sessionId, archivedAt: at } = file;
  return describe(join(folder, name), (path, stats) => ({
    path,
    kind,
    sessionId,
    at: at ?? stats.mtimeMs,
    sizeBytes: stats.size,
    ...(isEntry && { isEntryOnly: true }),
  }));
}

/** Of the cleaner. */
function readBackup(folder: string, name: string): KeptArchive[] {
  const file = classifySessionFileName(name);
  if (file.kind !== 'backup') return [];
  return describe(join(folder, name), (path, stats) => ({
    path,
    kind: 'backup',
    sessionId: file.sessionId,
    at: stats.mtimeMs,
    sizeBytes: stats.size,
  }));
}

function describe(
  path: string,
  make: (path: string, stats: { mtimeMs: number; size: number }) => KeptArchive,
): KeptArchive[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? [make(path, stats)] : [];
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
