import { basename, dirname, join, sep } from 'node:path';
import {
  lookIntoSessionStore,
  OpenBotError,
  resolveSessionFilePath,
  type StoredSession,
} from '@openbot/sessions';
import { classifySessionFileName, isSessionId, STORE_FILE_NAME } from '@openbot/sessions/layout';
import { readNames, statFile } from '../../layout/look-at-disk.ts';
import type { SearchScope } from '../contract/found-session.ts';
import { type LocatedSession, NO_ENTRIES } from '../contract/located-session.ts';
import { withoutKilledClones } from '../files/clones/killed-clones.ts';
import { readStateAndHead } from '../files/transcript-head.ts';

interface StoreSearch extends Pick<SearchScope, 'warn'> {
  /** Where OpenClaw writes the agent's transcripts if the index is in another folder. */
  readonly ownFolder?: string;
  /** How many of the newest the caller will open. If it opens all, they are opened at once. */
  readonly opened?: number;
}

/**
 * The sessions of an index: every transcript in its folder, with its entries, and those that the index names although
 * the transcript is gone. If the index cannot be read, it warns and returns the transcripts alone.
 */
export function locateOpenclawSessions(
  indexPath: string,
  agentId: string | null,
  { warn, ownFolder, opened = 0 }: StoreSearch,
): LocatedSession[] {
  const folder = dirname(indexPath);
  const names = withoutKilledClones(folder, readNames(folder));
  const present = new Set(names);
  const index = present.has(basename(indexPath)) ? readIndexOrWarn(indexPath, present, warn) : NO_INDEX;
  // With a limit, newer sessions in the database may leave these out.
  const isOpened = opened === Number.POSITIVE_INFINITY;
  const locate = locatorIn(folder, indexPath, agentId, isOpened);
  const found: (LocatedSession | undefined)[] = [];
  for (const name of names) {
    const sessionId = sessionIdOf(name);
    if (sessionId !== undefined) found.push(locate(name, sessionId, index.get(name) ?? NO_ENTRIES));
  }
  const locateOwn = ownFolder === undefined ? locate : locatorIn(ownFolder, indexPath, agentId, isOpened);
  for (const [name, entries] of index) {
    if (present.has(name)) continue;
    const isOwn = ownFolder !== undefined && leadsTo(entries, ownFolder + sep + name);
    found.push((isOwn ? locateOwn : locate)(name, stemOf(name), entries));
  }
  return found.filter((session) => session !== undefined);
}

/** The usual name, tested first because a folder may hold thousands. */
const PLAIN_NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$/;

function sessionIdOf(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return stemOf(name);
  const known = classifySessionFileName(name);
  const isTranscript = known.kind === 'transcript' || known.kind === 'topic-transcript';
  return isTranscript ? known.sessionId : undefined;
}

type Index = ReadonlyMap<string, readonly StoredSession[]>;

const NO_INDEX: Index = new Map();

function readIndexOrWarn(indexPath: string, present: ReadonlySet<string>, warn: SearchScope['warn']): Index {
  try {
    return readIndex(indexPath, present);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    const hint = [error.hint, WITHOUT_INDEX].filter(Boolean).join(' ');
    warn?.(new OpenBotError(error.code, error.message, { hint, cause: error }));
    return NO_INDEX;
  }
}

const WITHOUT_INDEX =
  'Until then its sessions have no key and no label: name them by id or path. Nothing is written into it, not even token counts.';

/** The entries of the index by the file name of their transcript, the one used last first. */
function readIndex(indexPath: string, present: ReadonlySet<string>): Index {
  const folder = dirname(indexPath);
  const index = new Map<string, StoredSession[]>();
  for (const stored of lookIntoSessionStore(indexPath) ?? []) {
    const name = fileNameOf(stored, folder, present);
    if (name === undefined) continue;
    const others = index.get(name);
    if (others === undefined) index.set(name, [stored]);
    else others.push(stored);
  }
  for (const entries of index.values()) {
    if (entries.length > 1) entries.sort((a, b) => usedAt(b) - usedAt(a));
  }
  return index;
}

/** The file name of the transcript of an entry, in this folder; undefined for an entry without a session. */
function fileNameOf(
  { entry }: StoredSession,
  folder: string,
  present: ReadonlySet<string>,
): string | undefined {
  const { sessionId, sessionFile } = entry;
  const isRecorded = typeof sessionFile === 'string' && sessionFile !== '';
  // The usual case needs no file system call.
  if (isRecorded && sessionFile.startsWith(folder) && sessionFile[folder.length] === sep) {
    const name = sessionFile.slice(folder.length + 1);
    if (PLAIN_NAME.test(name) && present.has(name)) return name;
  }
  if (!isSessionId(sessionId)) return undefined;
  const ownName = `${sessionId}.jsonl`;
  if (!isRecorded) return ownName;
  try {
    return basename(resolveSessionFilePath(sessionId, entry, { sessionsDir: folder }));
  } catch {
    // A path outside the folder is not followed.
    return ownName;
  }
}

/** Whether the index names exactly this file, and the file exists. */
function leadsTo(entries: readonly StoredSession[], path: string): boolean {
  return entries.some(({ entry }) => entry.sessionFile === path) && statFile(path) !== undefined;
}

/** Locates transcripts in one folder. Undefined for a name that is neither in the folder nor in the index. */
function locatorIn(folder: string, indexPath: string, agentId: string | null, isOpened: boolean) {
  const index = indexPath === join(folder, STORE_FILE_NAME) ? undefined : indexPath;
  return (name: string, sessionId: string, entries: readonly StoredSession[]): LocatedSession | undefined => {
    const path = folder + sep + name;
    const opened = isOpened ? readStateAndHead(path) : undefined;
    const stats = opened?.stats ?? statFile(path);
    const [newest] = entries;
    if (stats === undefined && newest === undefined) return undefined;
    const indexed = newest?.entry.sessionId;
    return {
      source: 'openclaw',
      agentId,
      sessionId: indexed === sessionId || !isSessionId(indexed) ? sessionId : indexed,
      stem: stemOf(name),
      path,
      updatedAt: stats?.mtimeMs ?? usedAt(newest!),
      sizeBytes: stats?.size ?? 0,
      missing: stats === undefined,
      entries,
      indexPath: index,
      opened: opened && { sizeBytes: opened.stats.size, cwd: opened.head?.cwd },
    };
  };
}

function usedAt({ entry }: StoredSession): number {
  return Number.isFinite(entry.updatedAt) ? entry.updatedAt : 0;
}

function stemOf(name: string): string {
  return name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : name;
}
