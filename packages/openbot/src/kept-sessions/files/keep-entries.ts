import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  type OpenBotError,
  openFileSessionStore,
  type SessionStore,
  type StoredSession,
} from '@openbot/sessions';
import { writeFileAtomic } from '@openbot/sessions/disk';
import { classifySessionFileName, transcriptFileName } from '@openbot/sessions/layout';
import { ENTRY_ENDING } from './archives.ts';
import { locateTranscript } from './place.ts';

/**
 * What becomes of an entry without an archive: `alone`, it is an archive of its own; `beside`, it is not kept; `later`, it
 * waits for the archive that a later call makes.
 */
type WithoutArchive = 'alone' | 'beside' | 'later';

/** Entries of sessions that are about to be archived, each where that of its archive will be. */
export interface KeptEntries {
  /** The time for the names of the archives. */
  readonly at: number;
  /**
   * When the session is archived: moves the entry to where its archives really are.
   * @returns the archives, with the entry where it is one
   */
  settle(key: string, archived: readonly string[], without: WithoutArchive): Promise<readonly string[]>;
  /** Removes those of sessions that are as they were. */
  dropLiving(store: SessionStore, mayDrop?: (key: string) => boolean): Promise<void>;
}

/** Archives a session, and keeps its entry. */
export async function keepingEntry<
  T extends { readonly archived: readonly string[]; readonly archiveError?: OpenBotError },
>(
  { storePath }: { readonly storePath: string },
  kind: 'reset' | 'deleted',
  { key, entry: known }: StoredSession,
  archive: (now: number) => Promise<T>,
  without: 'alone' | 'beside' = 'alone',
): Promise<Omit<T, 'archived'> & { readonly archived: readonly string[] }> {
  const store = openFileSessionStore(storePath);
  const entry = (await store.get(key)) ?? known;
  const entries = await keepEntries(dirname(storePath), kind, [{ key, entry }]);
  try {
    const done = await archive(entries.at);
    const rule = done.archiveError === undefined ? without : 'later';
    return { ...done, archived: await entries.settle(key, done.archived, rule) };
  } catch (error) {
    await entries.dropLiving(store);
    throw error;
  }
}

/**
 * Keeps entries before their sessions are archived, so that a crash in between loses neither key nor settings. No two of
 * the sessions may have one id.
 */
export async function keepEntries(
  folder: string,
  kind: 'reset' | 'deleted',
  sessions: readonly StoredSession[],
): Promise<KeptEntries> {
  const names = sessions.map((session) => join(folder, transcriptNameOf(folder, session)));
  const pathOf = (name: string, at: number) =>
    `${name}.${kind}.${new Date(at).toISOString().replaceAll(':', '-')}`;
  let at = Date.now();
  const isTaken = (name: string) =>
    existsSync(pathOf(name, at)) || existsSync(pathOf(name, at) + ENTRY_ENDING);
  while (names.some(isTaken)) at++;
  const entries = new Map(sessions.map(({ key, entry }) => [key, entry]));
  const paths = new Map(sessions.map(({ key }, i) => [key, pathOf(names[i]!, at) + ENTRY_ENDING]));
  const write = (path: string, key: string) =>
    writeFileAtomic(path, `${JSON.stringify({ key, entry: entries.get(key) })}\n`);
  const drop = (key: string) => rm(paths.get(key)!, { force: true });
  for (const [key, path] of paths) await write(path, key);
  return {
    at,
    settle: async (key, archived, without) => {
      const kept = paths.get(key)!;
      const beside = archived.map((path) => path + ENTRY_ENDING);
      for (const path of beside) if (path !== kept) await write(path, key);
      const isAlone = archived.length === 0 && without === 'alone';
      if (!isAlone && without !== 'later' && !beside.includes(kept)) await drop(key);
      return isAlone ? [kept] : archived;
    },
    dropLiving: async (store, mayDrop = () => true) => {
      for (const key of [...paths.keys()].filter(mayDrop)) {
        const now = await store.get(key);
        // One that is marked is archived by a later call, under the name that its entry has.
        if (now?.sessionId === entries.get(key)!.sessionId && !('pendingArchives' in now)) await drop(key);
      }
    },
  };
}

/** A random one where the session has no transcript here and an id that is no file name. */
function transcriptNameOf(folder: string, session: StoredSession): string {
  const { path } = locateTranscript(folder, session);
  const usual = dirname(path) === folder ? basename(path) : `${session.entry.sessionId}.jsonl`;
  const { kind } = classifySessionFileName(usual);
  return kind === 'transcript' || kind === 'topic-transcript' ? usual : transcriptFileName(randomUUID());
}
