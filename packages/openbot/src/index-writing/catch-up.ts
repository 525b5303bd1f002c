import { OpenBotError, reportProgress } from '@openbot/sessions';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { followingOf, type LocatedSession, type TranscriptState } from 'oc-context-cleaner';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { type IndexingOptions, indexSession } from './index-session.ts';
import { isArchive, readMarkedKey } from './session-archives.ts';
import { channelOf, type SessionsPlace, type SessionTraits, traitsOf } from './session-source.ts';
import { deleteFile, type IndexedFile, moveFile, partOf, writeTraits } from './write-session.ts';

export interface CaughtUp {
  /** Sessions of which something was read. */
  readonly read: number;
  readonly removed: number;
  readonly sessions: number;
  readonly bytes: number;
  /** Sessions that could not be read, and why. They keep what the index had of them. */
  readonly faults: readonly { readonly path: string; readonly error: unknown }[];
}

/** Brings the index up to what the files of a place say now. Reads what is new of each. */
export async function catchUp(
  database: IndexDatabase,
  place: SessionsPlace,
  { batchBytes, signal }: Pick<IndexingOptions, 'batchBytes' | 'signal'> = {},
): Promise<CaughtUp> {
  const known = await listKnown(database, place);
  const located = await place.locate().catch(takeUnreadable);
  if (located instanceof OpenBotError) {
    const faults = [{ path: place.root, error: located }];
    return { read: 0, removed: 0, sessions: known.size, bytes: 0, faults };
  }
  const sessions = located.filter(({ missing, cold }) => !missing && !cold);
  const listed = sessions.map((session) => {
    const key = keyOf(session.path, partOf(session));
    const had = known.get(key);
    known.delete(key);
    return { session, had };
  });
  const states = await readStates(
    listed.filter(({ session, had }) => !looksUnchanged(session, had?.file)).map(({ session }) => session),
  );
  const former = [...known.values()];
  const moved: { id: number; path: string }[] = [];
  const work = listed.map(({ session, had }) => {
    if (had !== undefined || session.storage !== undefined)
      return { session, had, traits: traitsOf(session, had?.traits) };
    // A reset gives the file another name. What it says is the same, and the key that it had is known nowhere else.
    const alike = former.filter(({ traits }) => traits.sessionId === session.sessionId);
    const same = alike.find(({ file }) => file.generation === states.get(session)?.generation);
    if (same !== undefined && known.delete(same.key)) moved.push({ id: same.file.id, path: session.path });
    return { session, had: same, traits: traitsOf(session, (same ?? alike[0])?.traits) };
  });
  const changed = work.flatMap(({ session, had, traits }) => {
    const state = states.get(session);
    return state === undefined || (had !== undefined && isSameState(had.file, state))
      ? []
      : [{ session, had, traits, state }];
  });
  const renamed = work.filter(({ had, traits }) => had !== undefined && hasOtherTraits(had.traits, traits));
  const faults: { path: string; error: unknown }[] = [];
  await forEachSlice(moved, ({ id, path }) => moveFile(database, id, path));
  await forEachSlice([...known.values()], ({ file }) => deleteFile(database, file.id));
  await forEachSlice(renamed, ({ had, traits }) => writeTraits(database, had!.file.id, traits));

  async function forEachSlice<T>(all: readonly T[], change: (one: T) => void): Promise<void> {
    for (let at = 0; at < all.length; at += 50) {
      await database.write(() => {
        for (const one of all.slice(at, at + 50)) change(one);
      });
    }
  }

  const total = changed.reduce((sum, { state, had }) => sum + sizeToRead(state, had?.file), 0);
  let bytes = 0;
  let read = 0;
  reportProgress({ step: 'list', text: `Indexing ${formatQuantity(changed.length, 'session')}` });
  for (const { session, traits } of changed) {
    if (signal?.aborted) break;
    try {
      const following = await followingOf(session);
      const named = await addMarkedKey(session.path, traits);
      const onBytes = (here: number) =>
        reportProgress({ share: Math.min(1, (bytes + here) / Math.max(1, total)) });
      bytes += await indexSession(database, { session, traits: named, of: place }, following, {
        batchBytes,
        onBytes,
        signal,
      });
      read++;
    } catch (error) {
      if (isOfIndex(error)) throw error;
      faults.push({ path: session.path, error });
    }
  }
  return {
    read,
    removed: known.size,
    sessions: sessions.length,
    bytes,
    faults,
  };
}

/** Where neither a store nor an index knows the key of a conversation that was reset, its turns do. */
async function addMarkedKey(path: string, traits: SessionTraits): Promise<SessionTraits> {
  if (traits.sessionKey !== null || !isArchive(path)) return traits;
  const sessionKey = (await readMarkedKey(path)) ?? null;
  return { ...traits, sessionKey, channel: channelOf(sessionKey) };
}

/** While a configuration is being edited, the index keeps what it has. */
function takeUnreadable(error: unknown): OpenBotError {
  if (error instanceof OpenBotError && error.code === 'CONFIG_UNREADABLE') return error;
  throw error;
}

/** By what finding it has told: the size and the time of its file. A session in a database has no size then. */
function looksUnchanged({ sizeBytes, updatedAt }: LocatedSession, had: IndexedFile | undefined): boolean {
  return sizeBytes > 0 && had?.size === sizeBytes && had.updatedAt === updatedAt;
}

/** What the transcripts are now. */
export async function readStates(
  sessions: readonly LocatedSession[],
): Promise<Map<LocatedSession, TranscriptState>> {
  const states = new Map<LocatedSession, TranscriptState>();
  for (const here of Map.groupBy(sessions, ({ source, storage }) => `${source} ${storage}`).values()) {
    const following = await followingOf(here[0]!);
    for (const [session, state] of await following.readStates(here)) states.set(session, state);
  }
  return states;
}

interface KnownSession {
  readonly key: string;
  readonly file: IndexedFile;
  readonly traits: SessionTraits;
}

export function keyOf(path: string, part: string): string {
  return part === '' ? path : `${path}\0${part}`;
}

/** What the index has of a place. */
export async function listKnown(
  database: IndexDatabase,
  { root }: Pick<SessionsPlace, 'root'>,
): Promise<Map<string, KnownSession>> {
  const rows = await database.read(() =>
    database
      .prepare(
        `SELECT f.id, f.path, f.part, f.generation, f.size, f.mtime, f.position, f.hash, s.session_id AS sessionId,
           s.agent_id AS agentId, s.session_key AS sessionKey, s.channel, s.label, s.title
         FROM files AS f JOIN sessions AS s ON s.id = f.id WHERE f.root = ? AND f.kind = 'transcript'`,
      )
      .all(root),
  );
  return new Map(
    (rows as unknown as KnownRow[]).map((row) => {
      const { id, path, part, generation, size, mtime, position, hash, ...traits } = row;
      const file = { id, generation, size, updatedAt: mtime, place: { generation, position, hash } };
      const key = keyOf(path, part);
      return [key, { key, file, traits }];
    }),
  );
}

type KnownRow = SessionTraits & {
  readonly id: number;
  readonly path: string;
  readonly part: string;
  readonly generation: string;
  readonly size: number;
  readonly mtime: number;
  readonly position: number;
  readonly hash: string;
};

export function isSameState(one: TranscriptState, other: TranscriptState): boolean {
  return one.generation === other.generation && one.size === other.size && one.updatedAt === other.updatedAt;
}

function hasOtherTraits(had: SessionTraits, now: SessionTraits): boolean {
  return (
    had.agentId !== now.agentId ||
    had.sessionKey !== (now.sessionKey ?? had.sessionKey) ||
    had.channel !== (now.channel ?? had.channel) ||
    had.label !== now.label ||
    had.title !== now.title
  );
}

function sizeToRead(state: TranscriptState, had: IndexedFile | undefined): number {
  const isSame = had?.generation === state.generation;
  return Math.max(0, state.size - (isSame ? had!.place.position : 0));
}

function isOfIndex(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('INDEX_');
}
