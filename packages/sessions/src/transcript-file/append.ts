import { constants, lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import type { LockOptions } from '../disk/lock.ts';
import { OpenBotError } from '../errors.ts';
import {
  assertDraft,
  composeEntry,
  composeLine,
  type EntryDraft,
  targetOfDraft,
} from '../transcript/compose.ts';
import { emitSessionTranscriptUpdate } from './events.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { headerMissing, readHeader } from './header.ts';
import { assertHeld, withTranscriptLock } from './lock.ts';
import { hasEntryId, inspectTail, KnownIds, type Tail, type TailState } from './tail.ts';
import { type AppendIo, realAppendIo, writeLines } from './write-lines.ts';

interface AppendOptions {
  /** The time of the new entries, in milliseconds. Date.now(). */
  now?: () => number;
  /**
   * Whether the lines are on the disk itself when the call returns, and not only safe from the end of this process.
   * True: a sync costs little beside the model's answer that it protects from a power cut.
   */
  durable?: boolean;
  lock?: LockOptions;
  io?: Partial<AppendIo>;
  /** Makes uuids, of which the first eight characters count. */
  randomId?: () => string;
}

interface AppendedEntry {
  type: EntryDraft['type'];
  /** Undefined in a version 1 transcript. */
  id: string | undefined;
  parentId: string | null | undefined;
  timestamp: string;
}

interface AppendResult {
  entries: readonly AppendedEntry[];
  /** Where the new lines begin, and how many bytes they are. */
  offset: number;
  bytes: number;
  /** What was found at the end of the file. */
  tail: TailState;
}

export interface TranscriptAppender {
  readonly path: string;
  /** All of them under one lock and in one write, each the child of the one before. */
  append(drafts: EntryDraft | readonly EntryDraft[]): Promise<AppendResult>;
}

/** For many appends to one transcript: remembers its ids. Holds nothing open. */
export function openTranscriptForAppend(path: string, options: AppendOptions = {}): TranscriptAppender {
  const ids = new KnownIds();
  return {
    path,
    append: (drafts) =>
      appendDrafts(path, Array.isArray(drafts) ? drafts : [drafts as EntryDraft], options, ids),
  };
}

/** Appends to an existing transcript, after its last line, whichever program wrote it. */
export function appendToTranscript(
  path: string,
  drafts: EntryDraft | readonly EntryDraft[],
  options: AppendOptions = {},
): Promise<AppendResult> {
  return openTranscriptForAppend(path, options).append(drafts);
}

async function appendDrafts(
  path: string,
  drafts: readonly EntryDraft[],
  options: AppendOptions,
  ids: KnownIds,
): Promise<AppendResult> {
  for (const draft of drafts) assertDraft(draft);
  const target = resolveWithinFolder(path);
  assertIsFile(target);
  const append = async (lock: HeldLock) => {
    const handle = await openForAppend(target);
    try {
      return await appendToOpen(handle, target, drafts, options, ids, lock);
    } catch (error) {
      throw describeFileFault(target, error, 'write');
    } finally {
      await handle.close();
    }
  };
  const result = await withTranscriptLock(target, append, options.lock);
  if (drafts.length > 0) emitSessionTranscriptUpdate(path);
  return result;
}

/**
 * Looked at before the lock is taken, which would make the folder of a transcript that does not exist. Not awaited: calls
 * made one after another get the lock in that order.
 */
function assertIsFile(path: string): void {
  try {
    if (lstatSync(path).isFile()) return;
  } catch (error) {
    throw describeFileFault(path, error, 'write');
  }
  throw notAFile(path);
}

async function openForAppend(path: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return await open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw describeFileFault(path, error, 'write');
  }
}

async function appendToOpen(
  handle: FileHandle,
  path: string,
  drafts: readonly EntryDraft[],
  options: AppendOptions,
  ids: KnownIds,
  lock: HeldLock,
): Promise<AppendResult> {
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) throw notAFile(path);
  const size = Number(stat.size);
  const header = await readHeader(handle, size);
  if (header === undefined) throw headerMissing(path);
  const tail = await inspectTail(handle, size, header);
  if (drafts.length === 0) return { entries: [], offset: size, bytes: 0, tail: tail.state };
  await ids.catchUp(handle, size, `${stat.dev}:${stat.ino}`);
  for (const draft of drafts) await assertTarget(handle, size, path, draft);

  const timestamp = new Date((options.now ?? Date.now)()).toISOString();
  const { entries, lines } = placeDrafts(drafts, tail, timestamp, () => ids.make(options.randomId));
  // An open last line is closed by the same write: a line feed of its own could be all that gets through.
  const bytes = Buffer.from(tail.state === 'whole' ? lines : `\n${lines}`);
  assertHeld(lock, path, 'the append');
  await writeLines(handle, path, size, bytes, {
    durable: options.durable ?? true,
    io: { ...realAppendIo, ...options.io },
  });
  const offset = size + (tail.state === 'whole' ? 0 : 1);
  return { entries, offset, bytes: size + bytes.length - offset, tail: tail.state };
}

function placeDrafts(
  drafts: readonly EntryDraft[],
  tail: Tail,
  timestamp: string,
  makeId: () => string,
): { entries: AppendedEntry[]; lines: string } {
  const entries: AppendedEntry[] = [];
  let lines = '';
  let parentId = tail.leafId;
  for (const draft of drafts) {
    const id = tail.linear ? undefined : makeId();
    const entry = { type: draft.type, id, parentId: tail.linear ? undefined : parentId, timestamp };
    lines += composeLine(composeEntry(draft, entry));
    entries.push(entry);
    parentId = id;
  }
  return { entries, lines };
}

/** A label or compaction that points nowhere makes agents drop what it should keep. */
async function assertTarget(
  handle: FileHandle,
  size: number,
  path: string,
  draft: EntryDraft,
): Promise<void> {
  const target = targetOfDraft(draft);
  if (target === undefined || (await hasEntryId(handle, size, target))) return;
  throw new OpenBotError(
    'INVALID_ARGUMENT',
    `${draft.type} names the entry ${JSON.stringify(target)}, which is not in ${path}`,
    {
      hint: 'Nothing was written. Use the id of an entry of this transcript; lines of version 1 have none.',
    },
  );
}
