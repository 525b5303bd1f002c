import { constants, existsSync, lstatSync } from 'node:fs';
import { copyFile, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  emitSessionTranscriptUpdate,
  OpenBotError,
  openFileSessionStore,
  returnToSession,
  type SessionEntry,
  type StoredSession,
} from '@openbot/sessions';
import {
  type LockOptions,
  linkNew,
  makeLeftoverPath,
  syncFolder,
  writeFileAtomic,
} from '@openbot/sessions/disk';
import { transcriptFileName } from '@openbot/sessions/layout';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { findSession } from '../../session-address.ts';
import type { KeptArchive, RestoreOutcome } from '../contract.ts';
import { keepingEntry } from './keep-entries.ts';
import { findKeyOf, forgetEntry, readKeptEntry } from './kept-entry.ts';

interface Sessions {
  readonly storePath: string;
  readonly agentId: string;
  readonly mainKey?: string;
  readonly folder: string;
  readonly lock: LockOptions;
}

type WhileIdle = <T>(session: StoredSession, body: () => Promise<T>) => Promise<T>;

/**
 * Puts an archive back: the key points to its session again, and a compacted transcript is whole again, with what was
 * said since. Nothing is lost by it: what the key pointed to meanwhile is archived first.
 */
export async function restoreArchive(
  sessions: Sessions,
  archive: KeptArchive,
  wantedKey: string | undefined,
  whileIdle: WhileIdle,
): Promise<RestoreOutcome> {
  if (archive.kind === 'backup') {
    throw new OpenBotError('SESSION_UNSUPPORTED', `${archive.path} is a backup of a clean`, {
      hint: `Use: openbot clean restore ${archive.sessionId}`,
    });
  }
  if (archive.kind === 'damaged') {
    throw new OpenBotError(
      'SESSION_UNSUPPORTED',
      `${archive.path} was set aside because nothing in it can be read`,
      {
        hint: `Nothing was restored. 'openbot sessions show' lists other states of the session.`,
      },
    );
  }
  const store = openFileSessionStore(sessions.storePath);
  const kept = readKeptEntry(archive.path);
  if (archive.isEntryOnly && kept === undefined) {
    throw new OpenBotError('STORE_UNREADABLE', `${archive.path} holds no entry of a session`, {
      hint: 'Nothing was restored',
    });
  }
  const wanted = wantedKey ?? findKeyOf(archive, await store.list());
  if (wanted === undefined) {
    throw new OpenBotError('USAGE', `Under which key was the session ${archive.sessionId}?`, {
      hint: 'Name it: --key agent:main:main',
    });
  }
  const current = await findSession({ ...sessions, store }, wanted);
  const { key, entry } = current ?? { key: wanted, entry: { sessionId: archive.sessionId, updatedAt: 0 } };
  const probe = { key, entry };
  return whileIdle(probe, async () => {
    if (archive.kind === 'bak' && current?.entry.sessionId === archive.sessionId) {
      return restoreWhole(sessions, archive, current);
    }
    return restoreSession(sessions, archive, key, current, kept?.entry);
  });
}

/** Makes a transcript that was compacted whole again. */
async function restoreWhole(
  { storePath, folder, lock }: Sessions,
  archive: KeptArchive,
  { key, entry }: StoredSession,
): Promise<RestoreOutcome> {
  const path = join(folder, transcriptNameOf(archive));
  const outcome = { key, sessionId: archive.sessionId, path };
  const made = await withTranscriptLock(
    path,
    async () => {
      const whole = await read(archive.path);
      const now = await read(path).catch(ifMissing);
      const later = now === undefined ? { isWhole: false } : compareLines(whole, now);
      if (later.isWhole) return undefined;
      const archived = now === undefined ? undefined : await setAside(path);
      await writeFileAtomic(path, [whole, ...(later.added ?? [])]);
      return { archived };
    },
    lock,
  );
  if (made === undefined) return outcome;
  emitSessionTranscriptUpdate(path);
  await openFileSessionStore(storePath).update(key, (now) =>
    now?.sessionId === entry.sessionId ? { ...now, ...UNKNOWN_FIGURES, updatedAt: Date.now() } : undefined,
  );
  return { ...outcome, ...made };
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw error;
    throw new OpenBotError('TRANSCRIPT_UNREADABLE', `Cannot read the transcript ${path}: ${message}`, {
      hint: 'Nothing was restored. Check the disk and the rights of the file and its folder.',
      cause: error,
    });
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Keeps the transcript as it is now as an archive. Its lock must be held. */
async function setAside(path: string): Promise<string> {
  for (let at = Date.now(); ; at++) {
    const archive = `${path}.bak.${new Date(at).toISOString().replaceAll(':', '-')}`;
    if (existsSync(archive)) continue;
    if (!linkNew(path, archive)) await copyFile(path, archive, constants.COPYFILE_EXCL);
    return archive;
  }
}

/** What the transcript has beyond the archive, and whether it has all of the archive. A kept line may have been changed, but not its id. */
function compareLines(whole: Buffer, now: Buffer): { isWhole: boolean; added?: Buffer[] } {
  const kept = splitLines(whole);
  const lines = splitLines(now);
  const known = new Set(kept.map(identify));
  const there = new Set(lines.map(identify));
  if ([...known].every((line) => there.has(line))) return { isWhole: true };
  const later = lines.filter((line) => !known.has(identify(line)));
  const needsEnd = later.length > 0 && whole.length > 0 && whole.at(-1) !== LINE_END;
  const end = Buffer.of(LINE_END);
  return { isWhole: false, added: [...(needsEnd ? [end] : []), ...later.flatMap((line) => [line, end])] };
}

const LINE_END = 0x0a;

/** As bytes: a line need not be UTF-8. Without the empty ones. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_END, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    if (line.some((byte) => byte > 0x20)) lines.push(line);
    start = end + 1;
  }
  return lines;
}

function identify(line: Buffer): string {
  try {
    const { id } = JSON.parse(line.toString('utf8')) as { id?: unknown };
    if (typeof id === 'string') return `id ${id}`;
  } catch {}
  return line.toString('latin1');
}

/** Gives a session that was deleted or reset its file and its key again. */
async function restoreSession(
  sessions: Sessions,
  archive: KeptArchive,
  key: string,
  current: StoredSession | undefined,
  kept: SessionEntry | undefined,
): Promise<RestoreOutcome> {
  const { storePath, folder } = sessions;
  const { sessionId } = archive;
  const path = archive.isEntryOnly ? undefined : join(folder, transcriptNameOf(archive));
  // The file first, then the key, then what goes: whenever this ends, a key names a session that has its transcript.
  if (path !== undefined) await withTranscriptLock(path, () => giveName(archive.path, path), sessions.lock);
  const isOther = current !== undefined && current.entry.sessionId !== sessionId;
  const session = {
    ...UNKNOWN_FIGURES,
    ...kept,
    // An entry alone may have an id that is no file name.
    sessionId: path === undefined ? (kept?.sessionId ?? sessionId) : sessionId,
    // A session may have further transcripts, of its topics.
    sessionFile: (isOther ? undefined : current?.entry.sessionFile) ?? kept?.sessionFile ?? path,
  };
  const bringBack = async (now: number) => {
    const request = { ...sessions, sessionKey: key, expectedSessionId: current?.entry.sessionId, session };
    const { replaced } = await returnToSession({ ...request, now: () => now });
    return { archived: replaced?.archived ?? [], archiveError: replaced?.archiveError };
  };
  try {
    const archived = isOther
      ? (await keepingEntry({ storePath }, 'reset', current, bringBack)).archived
      : (await bringBack(Date.now())).archived;
    if (path !== undefined) {
      await unlink(archive.path);
      await syncFolder(dirname(path));
    }
    await forgetEntry(archive.path);
    const replaced = isOther ? { sessionId: current.entry.sessionId, archived } : undefined;
    return { key, sessionId, path, replaced };
  } catch (error) {
    await takeNameBack(storePath, archive, path);
    throw error;
  }
}

/** Replaces nothing that has the name already. A restore that was cut off may have given it. */
async function giveName(file: string, path: string): Promise<void> {
  if (isSameFile(file, path)) return;
  if (existsSync(path)) throw isThere(path);
  try {
    if (linkNew(file, path)) {
      if (isSameFile(file, path)) return;
      throw isThere(path);
    }
    // Whole or not at all.
    const temp = makeLeftoverPath(path, 'tmp');
    await copyFile(file, temp, constants.COPYFILE_EXCL);
    if (existsSync(path)) throw isThere(path);
    await rename(temp, path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? isThere(path) : error;
  } finally {
    await syncFolder(dirname(path));
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

/** After a failure: the archive is as it was, unless the session has a key by now. */
async function takeNameBack(
  storePath: string,
  archive: KeptArchive,
  path: string | undefined,
): Promise<void> {
  if (path === undefined || !isSameFile(archive.path, path)) return;
  const sessions = await openFileSessionStore(storePath).list();
  if (!sessions.some(({ entry }) => entry.sessionId === archive.sessionId)) await unlink(path);
}

function isThere(path: string): OpenBotError {
  return new OpenBotError('TRANSCRIPT_EXISTS', `${path} is there already`, {
    hint: 'Nothing was restored. Move it away first.',
  });
}

/** How large the context is shows with the next answer. */
const UNKNOWN_FIGURES = {
  inputTokens: undefined,
  outputTokens: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  totalTokens: undefined,
  totalTokensFresh: false,
  contextBudgetStatus: undefined,
} as const;

function transcriptNameOf({ path, sessionId, kind }: KeptArchive): string {
  const name = path.slice(dirname(path).length + 1);
  const end = name.indexOf(`.${kind}.`);
  return end < 0 ? transcriptFileName(sessionId) : name.slice(0, end);
}
