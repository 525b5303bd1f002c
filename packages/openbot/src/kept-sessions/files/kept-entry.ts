import { readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { SessionEntry, StoredSession } from '@openbot/sessions';
import type { KeptArchive } from '../contract.ts';
import { ENTRY_ENDING } from './archives.ts';

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

/** The key that an archive goes back to, if no other is wanted. Undefined where it is not known. */
export function findKeyOf(archive: KeptArchive, sessions: readonly StoredSession[]): string | undefined {
  const owner = sessions.find(({ entry }) => entry.sessionId === archive.sessionId);
  return owner?.key ?? readKeptEntry(archive.path)?.key;
}

export async function forgetEntry(archive: string): Promise<void> {
  await unlink(entryPathOf(archive)).catch(() => {});
}

function entryPathOf(archive: string): string {
  return archive.endsWith(ENTRY_ENDING) ? archive : archive + ENTRY_ENDING;
}
