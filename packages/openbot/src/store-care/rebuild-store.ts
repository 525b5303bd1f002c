import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, readdirSync, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseAgentSessionKey, type SessionEntry, startNextEntry } from '@openbot/sessions';
import { linkNew, syncFolder, withLock, writeFileAtomic } from '@openbot/sessions/disk';
import { canonicalizeSessionKey } from '@openbot/sessions/key';
import { classifySessionFileName, findFreeArchivePath } from '@openbot/sessions/layout';
import { lastGoodPathOf, parseStore, type StoreContent } from './last-good.ts';
import { hasTurn, readOwner, type TranscriptOwner } from './read-owner.ts';

export interface RebuiltStore {
  /** Where the torn file is now. */
  readonly keptAs: string;
  readonly entries: number;
  /** Of these, those that are as they were in the copy. */
  readonly fromLastGood: number;
  /** Names of transcripts whose conversation nothing tells. */
  readonly unknown: readonly string[];
}

type Transcript = TranscriptOwner & { readonly name: string; readonly path: string };

/**
 * Makes a store that does not parse anew, of its last copy and of the transcripts beside it, under its lock. The torn file
 * keeps another name. Undefined where the store can be read, or there is none. A file that cannot be looked at is an error.
 */
export function rebuildStore(
  storePath: string,
  agentId: string,
  now: number,
): Promise<RebuiltStore | undefined> {
  return withLock(`${storePath}.lock`, {}, async (lock) => {
    const torn = readIfThere(storePath);
    if (torn === undefined || parseStore(torn) !== undefined) return undefined;
    const folder = dirname(storePath);
    const copy = readIfThere(lastGoodPathOf(storePath));
    const { store, fromLastGood, unknown } = combine(
      (copy && parseStore(copy)) ?? {},
      await readTranscripts(folder),
      { agentId, now, folder, names: readdirSync(folder) },
    );
    const keptAs = await findFreeArchivePath(storePath, 'damaged', now);
    const assertHeld = () => {
      if (!lock.isHeld()) throw new Error(`The lock of ${storePath} was lost`);
    };
    const write = async (file: FileHandle) => {
      await file.writeFile(JSON.stringify(store, null, 2));
      await file.sync();
      // Not before there is a new one on the disk: each try would leave another name.
      assertHeld();
      keep(storePath, keptAs);
      await syncFolder(folder);
    };
    await writeFileAtomic(storePath, write, { beforeRename: assertHeld });
    return { keptAs, entries: Object.keys(store).length, fromLastGood, unknown };
  });
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A second name for the file: the first one is replaced. */
function keep(path: string, target: string): void {
  if (!linkNew(path, target)) copyFileSync(path, target, constants.COPYFILE_EXCL);
}

async function readTranscripts(folder: string): Promise<readonly Transcript[]> {
  const files = readdirSync(folder)
    .sort()
    .map((name) => ({ name, file: classifySessionFileName(name) }));
  const found: Transcript[] = [];
  const archived: Transcript[] = [];
  const read = async (list: Transcript[], name: string, sessionId: string) => {
    const path = join(folder, name);
    // One that cannot be read tells nothing; its name is said.
    const owner = await readOwner(path, sessionId).catch(() => ({ sessionId: '', startedAt: 0 }));
    list.push({ ...owner, name, path });
  };
  for (const { name, file } of files)
    if (file.kind === 'transcript' || file.kind === 'topic-transcript')
      await read(found, name, file.sessionId);
  if (!found.some(({ isHeaderLost }) => isHeaderLost)) return found;
  for (const { name, file } of files)
    if (file.kind === 'archive' && file.sessionId !== undefined) await read(archived, name, file.sessionId);
  const copies = new Set<Transcript>();
  for (const one of found)
    if (one.isHeaderLost && (await mayBeCopy(one, [...found, ...archived]))) copies.add(one);
  return found.map((one) => (copies.has(one) ? { ...one, turn: undefined } : one));
}

/** A fork or a clone without its header: its last turn is that of another session. */
async function mayBeCopy(one: Transcript, others: readonly Transcript[]): Promise<boolean> {
  const { turn, sessionId } = one;
  for (const { path, sessionId: other, turn: { sessionKey } = {} } of others) {
    if (turn === undefined || other === sessionId || sessionKey !== turn.sessionKey) continue;
    if (await hasTurn(path, turn.turnId)) return true;
  }
  return false;
}

interface Circumstances {
  readonly agentId: string;
  readonly now: number;
  readonly folder: string;
  /** Of all files in the folder. */
  readonly names: readonly string[];
}

function combine(
  copy: StoreContent,
  transcripts: readonly Transcript[],
  circumstances: Circumstances,
): {
  readonly store: Record<string, unknown>;
  readonly fromLastGood: number;
  readonly unknown: readonly string[];
} {
  const { agentId, now } = circumstances;
  const store = new Map<string, unknown>();
  const spellings = new Map<string, string>();
  const ids = new Set<string>();
  const put = (key: string, value: unknown) => {
    store.set(key, value);
    spellings.set(canonicalizeSessionKey(key), key);
    if (isEntry(value)) ids.add(value.sessionId);
  };
  for (const [key, value] of Object.entries(copy)) {
    const kept = isEntry(value) ? afterCopy(value, circumstances) : value;
    if (kept !== undefined) put(key, kept);
  }
  const fromLastGood = store.size;
  let replaced = 0;
  for (const [key, candidates] of Map.groupBy(transcripts, (one) => keyOf(one, agentId))) {
    if (key === undefined) continue;
    const latest = Math.max(...candidates.map(({ startedAt }) => startedAt));
    const [newest, ...others] = candidates.filter(({ startedAt }) => startedAt === latest);
    // Of files that began together, such as copies, none is chosen: which one is used is not known.
    if (newest === undefined || others.length > 0 || ids.has(newest.sessionId)) continue;
    const spelling = spellings.get(key);
    if (spelling !== undefined) replaced++;
    put(spelling ?? key, entryOf(newest, spelling && store.get(spelling), now));
  }
  // One that another session of its conversation came after is no riddle.
  const isKnown = (one: Transcript) => ids.has(one.sessionId) || spellings.has(keyOf(one, agentId) ?? '');
  const unknown = transcripts.filter((one) => !isKnown(one)).map(({ name }) => name);
  return { store: Object.fromEntries(store), fromLastGood: fromLastGood - replaced, unknown };
}

/** The conversation that a transcript names, if it is one of this agent's. */
function keyOf({ turn }: Transcript, agentId: string): string | undefined {
  if (turn === undefined) return undefined;
  const owner = parseAgentSessionKey(turn.sessionKey)?.agentId ?? agentId;
  return owner === agentId ? canonicalizeSessionKey(turn.sessionKey) : undefined;
}

/** An entry of the copy, and what the names of archives say has happened since. Undefined for one that was deleted. */
function afterCopy(entry: SessionEntry, { now, folder, names }: Circumstances): SessionEntry | undefined {
  const { sessionId, sessionFile = `${sessionId}.jsonl` } = entry;
  const name = basename(sessionFile);
  const hasEnded = (reason: string) =>
    !names.includes(name) && names.some((one) => one.startsWith(`${name}.${reason}.`));
  if (hasEnded('deleted')) return undefined;
  const rebuilt = { at: now, from: 'last-good' } as const;
  if (!hasEnded('reset') && !hasEnded('damaged')) return { ...entry, rebuilt };
  // The archive has the old id: with it, it could not be brought back beside the new session.
  const fresh = randomUUID();
  const file = name.startsWith(sessionId) ? `${fresh}${name.slice(sessionId.length)}` : `${fresh}.jsonl`;
  const next = { sessionId: fresh, sessionFile: join(folder, file), now };
  return { ...startNextEntry(entry, next), rebuilt };
}

/** The header has the session, and the former entry the settings that a reset keeps. */
function entryOf(
  { sessionId, path, startedAt, turn }: Transcript,
  former: unknown,
  now: number,
): SessionEntry {
  const previous = isEntry(former) ? former : undefined;
  return {
    ...startNextEntry(previous, { sessionId, sessionFile: path, now: startedAt }),
    updatedAt: turn?.at ?? startedAt,
    rebuilt: { at: now, from: 'header' },
  };
}

function isEntry(value: unknown): value is SessionEntry {
  return typeof (Object(value) as Partial<SessionEntry>).sessionId === 'string';
}
