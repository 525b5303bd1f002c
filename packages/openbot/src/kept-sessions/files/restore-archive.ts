import { constants, existsSync } from 'node:fs';
import { copyFile, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  deleteSession,
  OpenBotError,
  openFileSessionStore,
  type SessionEntry,
  type StoredSession,
} from '@openbot/sessions';
import { linkNew, syncFolder, writeFileAtomic } from '@openbot/sessions/disk';
import { transcriptFileName } from '@openbot/sessions/layout';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import type { KeptArchive, RestoreOutcome } from '../contract.ts';
import { forgetEntry, keepRemoved, readKeptEntry } from './kept-entry.ts';

interface Sessions {
  readonly storePath: string;
  readonly agentId: string;
  readonly mainKey?: string;
  readonly folder: string;
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
  const store = openFileSessionStore(sessions.storePath);
  const owner = (await store.list()).find(({ entry }) => entry.sessionId === archive.sessionId);
  const kept = readKeptEntry(archive.path);
  if (archive.isEntryOnly && kept === undefined) {
    throw new OpenBotError('STORE_UNREADABLE', `${archive.path} holds no entry of a session`, {
      hint: 'Nothing was restored',
    });
  }
  const key = wantedKey ?? owner?.key ?? kept?.key;
  if (key === undefined) {
    throw new OpenBotError('USAGE', `Under which key was the session ${archive.sessionId}?`, {
      hint: 'Name it: --key agent:main:main',
    });
  }
  const entry = await store.get(key);
  const current = entry && { key, entry };
  const probe = { key, entry: entry ?? ({ sessionId: archive.sessionId } as SessionEntry) };
  return whileIdle(probe, async () => {
    if (archive.kind === 'bak' && entry?.sessionId === archive.sessionId) {
      return restoreWhole(sessions, archive, { key, entry });
    }
    return restoreSession(sessions, archive, key, current, kept?.entry);
  });
}

/** Makes a transcript that was compacted whole again. */
async function restoreWhole(
  { storePath, folder }: Sessions,
  archive: KeptArchive,
  { key, entry }: StoredSession,
): Promise<RestoreOutcome> {
  const path = join(folder, transcriptNameOf(archive));
  await withTranscriptLock(path, async () => {
    const whole = await readFile(archive.path);
    const now = await readFile(path).catch(() => Buffer.alloc(0));
    await writeFileAtomic(path, Buffer.concat([whole, ...findLaterLines(whole, now)]));
  });
  await openFileSessionStore(storePath).update(key, (now) =>
    now?.sessionId === entry.sessionId ? { ...now, ...UNKNOWN_FIGURES, updatedAt: Date.now() } : undefined,
  );
  return { key, sessionId: archive.sessionId, path };
}

/** Lines of the compacted transcript that the whole one does not have. A kept line may have been changed, but not its id. */
function findLaterLines(whole: Buffer, now: Buffer): Buffer[] {
  const known = new Set(splitLines(whole).map(identify));
  const later = splitLines(now).filter((line) => line.trim() !== '' && !known.has(identify(line)));
  const gap = whole.length > 0 && whole.at(-1) !== 0x0a ? '\n' : '';
  return later.length === 0 ? [] : [Buffer.from(`${gap}${later.join('\n')}\n`)];
}

function splitLines(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n');
}

function identify(line: string): string {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    return typeof id === 'string' ? `id ${id}` : line;
  } catch {
    return line;
  }
}

/** Gives a session that was deleted or reset its file and its key again. */
async function restoreSession(
  sessions: Sessions,
  archive: KeptArchive,
  key: string,
  current: StoredSession | undefined,
  kept: SessionEntry | undefined,
): Promise<RestoreOutcome> {
  const { storePath, agentId, mainKey, folder } = sessions;
  const { sessionId } = archive;
  const path = archive.isEntryOnly ? undefined : join(folder, transcriptNameOf(archive));
  const isOther = current !== undefined && current.entry.sessionId !== sessionId;
  if (path !== undefined && existsSync(path)) throw isThere(path);
  const archived = isOther
    ? await keepRemoved(
        (await deleteSession({ storePath, agentId, mainKey, sessionKey: current.key })).archived,
        key,
        current.entry,
        folder,
      )
    : [];
  if (path !== undefined) {
    await withTranscriptLock(path, async () => {
      await giveName(archive.path, path);
      await unlink(archive.path);
      await syncFolder(dirname(path));
    });
  }
  await openFileSessionStore(storePath).update(key, () => ({
    ...current?.entry,
    ...UNKNOWN_FIGURES,
    ...kept,
    // An entry alone may have an id that is no file name.
    sessionId: path === undefined ? (kept?.sessionId ?? sessionId) : sessionId,
    // A session may have further transcripts, of its topics.
    sessionFile: (isOther ? undefined : current?.entry.sessionFile) ?? kept?.sessionFile ?? path,
    updatedAt: Date.now(),
  }));
  await forgetEntry(archive.path);
  const replaced = isOther ? { sessionId: current.entry.sessionId, archived } : undefined;
  return { key, sessionId, path, replaced };
}

/** Replaces nothing that has the name already. */
async function giveName(file: string, path: string): Promise<void> {
  try {
    if (!linkNew(file, path)) await copyFile(file, path, constants.COPYFILE_EXCL);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? isThere(path) : error;
  }
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
