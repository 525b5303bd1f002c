import { basename, dirname, sep } from 'node:path';
import {
  lookIntoSessionStore,
  OpenBotError,
  resolveSessionFilePath,
  type StoredSession,
} from '@openbot/sessions';
import { classifySessionFileName, isSessionId } from '@openbot/sessions/layout';
import { readNames, statFile } from '../../layout/look-at-disk.ts';
import type { SearchScope } from '../contract/found-session.ts';
import { type LocatedSession, NO_ENTRIES } from '../contract/located-session.ts';
import { withoutKilledClones } from '../files/killed-clones.ts';

/**
 * The sessions beside an index: every transcript in its folder, with what the index says of it, and what the index names
 * although its transcript is gone. An index that cannot be read is warned of; the transcripts are there all the same.
 * @param ownFolder where OpenClaw writes the agent's transcripts although the index is elsewhere
 */
export function locateOpenclawSessions(
  indexPath: string,
  agentId: string | null,
  warn: SearchScope['warn'],
  ownFolder?: string,
): LocatedSession[] {
  const folder = dirname(indexPath);
  const names = withoutKilledClones(folder, readNames(folder));
  const present = new Set(names);
  const index = present.has(basename(indexPath)) ? readIndexOrWarn(indexPath, present, warn) : NO_INDEX;
  const found: LocatedSession[] = [];
  for (const name of names) {
    const sessionId = sessionIdOf(name);
    if (sessionId === undefined) continue;
    const session = locate(indexPath, name, agentId, sessionId, index.get(name) ?? NO_ENTRIES);
    if (session !== undefined) found.push(session);
  }
  for (const [name, entries] of index) {
    if (present.has(name)) continue;
    const isOwn = ownFolder !== undefined && leadsTo(entries, ownFolder + sep + name);
    const session = locate(indexPath, name, agentId, stemOf(name), entries, isOwn ? ownFolder : folder);
    if (session !== undefined) found.push(session);
  }
  return found;
}

/** Nearly every transcript is named like this, and a folder may hold thousands. */
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

/** The entries of the index by the file that they lead to, each list with the one used last first. */
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

/** The transcript that an entry leads to, in this folder; undefined for an entry that names no session. */
function fileNameOf(
  { entry }: StoredSession,
  folder: string,
  present: ReadonlySet<string>,
): string | undefined {
  const { sessionId, sessionFile } = entry;
  const isRecorded = typeof sessionFile === 'string' && sessionFile !== '';
  // The common case costs no look at the disk.
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
    // It leads out of the folder, and is not followed there.
    return ownName;
  }
}

/** Whether the index names exactly this file, and it is there. */
function leadsTo(entries: readonly StoredSession[], path: string): boolean {
  return entries.some(({ entry }) => entry.sessionFile === path) && statFile(path) !== undefined;
}

function locate(
  indexPath: string,
  name: string,
  agentId: string | null,
  sessionId: string,
  entries: readonly StoredSession[],
  folder = dirname(indexPath),
): LocatedSession | undefined {
  const path = folder + sep + name;
  const stats = statFile(path);
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
    indexPath,
  };
}

function usedAt({ entry }: StoredSession): number {
  return Number.isFinite(entry.updatedAt) ? entry.updatedAt : 0;
}

function stemOf(name: string): string {
  return name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : name;
}
