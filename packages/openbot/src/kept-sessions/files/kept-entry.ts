import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEntry, StoredEntry } from '@openbot/sessions';
import { classifySessionFileName, transcriptFileName } from '@openbot/sessions/layout';
import { ENTRY_ENDING } from './archives.ts';

/** Keeps the entry of a session beside its archives, so that they can be put back under its key. */
export async function keepEntry(
  archived: readonly string[],
  key: string,
  entry: StoredEntry | undefined,
): Promise<void> {
  if (entry === undefined) return;
  for (const path of archived) {
    await writeFile(path + ENTRY_ENDING, format(key, entry), { mode: 0o600 });
  }
}

/**
 * As `keepEntry`, for a session that is removed: where it had no transcript, its entry is an archive of its own.
 * @returns the archives, with that one
 */
export async function keepRemoved(
  archived: readonly string[],
  key: string,
  entry: StoredEntry | undefined,
  folder: string,
): Promise<readonly string[]> {
  await keepEntry(archived, key, entry);
  if (archived.length > 0 || entry === undefined) return archived;
  const name = `${entry.sessionId}.jsonl`;
  const { kind } = classifySessionFileName(name);
  const usual =
    kind === 'transcript' || kind === 'topic-transcript' ? name : transcriptFileName(randomUUID());
  // Entries of several keys may have one id.
  for (let at = Date.now(); ; at++) {
    const stamp = new Date(at).toISOString().replaceAll(':', '-');
    const path = join(folder, `${usual}.deleted.${stamp}${ENTRY_ENDING}`);
    try {
      await writeFile(path, format(key, entry), { mode: 0o600, flag: 'wx' });
      return [path];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function format(key: string, entry: StoredEntry): string {
  return `${JSON.stringify({ key, entry })}\n`;
}

/** Undefined for archives that a chat or OpenClaw made. */
export function readKeptEntry(archive: string): { key: string; entry: SessionEntry } | undefined {
  try {
    const { key, entry } = JSON.parse(readFileSync(entryPathOf(archive), 'utf8'));
    return typeof key === 'string' && typeof entry === 'object' && entry !== null
      ? { key, entry }
      : undefined;
  } catch {
    return undefined;
  }
}

export async function forgetEntry(archive: string): Promise<void> {
  await unlink(entryPathOf(archive)).catch(() => {});
}

function entryPathOf(archive: string): string {
  return archive.endsWith(ENTRY_ENDING) ? archive : archive + ENTRY_ENDING;
}
