import { type BigIntStats, constants, fstatSync, lstatSync } from 'node:fs';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import type { LockOptions } from '../disk/lock.ts';
import { OpenFile } from '../disk/open-file.ts';
import { OpenBotError } from '../errors.ts';
import { assertDraft, composeLine, type EntryDraft, targetOfDraft } from '../transcript/compose.ts';
import { headerOf, type NewTranscript, writeNewTranscript } from './create.ts';
import { emitSessionTranscriptUpdate } from './events.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { headerMissing, readHeader } from './header.ts';
import { KnownIds } from './known-ids.ts';
import { KnownTail } from './known-tail.ts';
import { assertHeld, withTranscriptLock } from './lock.ts';
import { type AppendedEntry, placeDrafts } from './place-drafts.ts';
import { hasEntryId, inspectTail, type Tail, type TailState } from './tail.ts';
import { type AppendIo, realAppendIo, writeLines } from './write-lines.ts';

interface AppendOptions {
  /** The time of the new entries, in milliseconds. Date.now(). */
  now?: () => number;
  /**
   * Whether the lines are on the disk itself when the call returns, and not only safe from the end of this process.
   * True: a sync costs little beside the model's answer that it protects from a power cut.
   */
  durable?: boolean;
  /** Makes a transcript that does not exist or is empty, with the first entries in it: one write for both. Else it is an error. */
  create?: Pick<NewTranscript, 'sessionId' | 'cwd' | 'parentSession'>;
  lock?: LockOptions;
  io?: Partial<AppendIo>;
  /** Makes uuids, of which the first eight characters count. */
  randomId?: () => string;
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

/** What an appender remembers of its transcript, so that it need not be read for each append. */
interface Known {
  readonly ids: KnownIds;
  readonly tail: KnownTail;
}

/** For many appends to one transcript: remembers its ids and its end. Holds nothing open. */
export function openTranscriptForAppend(path: string, options: AppendOptions = {}): TranscriptAppender {
  const known: Known = { ids: new KnownIds(), tail: new KnownTail() };
  return {
    path,
    append: (drafts) =>
      appendDrafts(path, Array.isArray(drafts) ? drafts : [drafts as EntryDraft], options, known),
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
  known: Known,
): Promise<AppendResult> {
  for (const draft of drafts) assertDraft(draft);
  const target = resolveWithinFolder(path);
  const { create } = options;
  if (create === undefined) assertIsFile(target);
  const append = async (lock: HeldLock) => {
    // Under the lock, so that calls made one after another keep their order.
    let handle = openForAppend(target, create !== undefined);
    if (handle === undefined && create !== undefined) {
      const made = await createWith(target, drafts, { ...options, create }, known.ids);
      if (made !== undefined) return made;
    }
    handle ??= openForAppend(target)!;
    try {
      const appended = await appendToOpen(handle, target, drafts, options, known, lock);
      // Nothing is left to fail once the lines are on the disk.
      if (!(options.durable ?? true)) handle.close();
      return appended;
    } catch (error) {
      throw describeFileFault(target, error, 'write');
    } finally {
      handle.end();
    }
  };
  const result = await withTranscriptLock(target, append, options.lock);
  if (drafts.length > 0) emitSessionTranscriptUpdate(path);
  return result;
}

/** Undefined when a program that takes no lock was faster. */
async function createWith(
  path: string,
  drafts: readonly EntryDraft[],
  options: AppendOptions & Required<Pick<AppendOptions, 'create'>>,
  ids: KnownIds,
): Promise<AppendResult | undefined> {
  const { create, now, durable, randomId } = options;
  for (const draft of drafts) if (targetOfDraft(draft) !== undefined) throw noSuchTarget(path, draft);
  try {
    const transcript = { ...create, path, now, durable };
    const made = await writeNewTranscript(transcript, drafts, () => ids.make(randomId));
    return { ...made, tail: 'whole' };
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'TRANSCRIPT_EXISTS') return undefined;
    throw error;
  }
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

/** Undefined where it does not exist and `mayBeMissing`. */
function openForAppend(path: string, mayBeMissing = false): OpenFile | undefined {
  const { O_RDWR, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return new OpenFile(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (mayBeMissing && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // What is no file fails in many ways.
    assertIsFile(path);
    throw describeFileFault(path, error, 'write');
  }
}

async function appendToOpen(
  handle: OpenFile,
  path: string,
  drafts: readonly EntryDraft[],
  options: AppendOptions,
  known: Known,
  lock: HeldLock,
): Promise<AppendResult> {
  const stat = fstatSync(handle.fd, { bigint: true });
  if (!stat.isFile()) throw notAFile(path);
  const { ids } = known;
  const size = Number(stat.size);
  // What a power cut leaves of a file that was just made.
  const header = size === 0 && options.create !== undefined ? headerOf(options.create) : undefined;
  const tail = header === undefined ? (known.tail.of(stat) ?? (await readTail(handle, path, size))) : EMPTY;
  if (drafts.length === 0) return { entries: [], offset: size, bytes: 0, tail: tail.state };
  await ids.catchUp(handle, size, `${stat.dev}:${stat.ino}`);
  for (const draft of drafts) await assertTarget(handle, size, path, draft);

  const timestamp = new Date((options.now ?? Date.now)()).toISOString();
  const { entries, lines } = placeDrafts(drafts, tail, timestamp, () => ids.make(options.randomId));
  // An open last line is closed by the same write: a line feed of its own could be all that gets through.
  const before = header === undefined ? '' : composeLine(header);
  const bytes = Buffer.from(`${before}${tail.state === 'whole' ? '' : '\n'}${lines}`);
  assertHeld(lock, path, 'the append');
  await writeLines(handle, path, size, bytes, {
    durable: options.durable ?? true,
    io: { ...realAppendIo, ...options.io },
  });
  ids.passOver(size + bytes.length);
  noteEnd(handle, known.tail, { size: size + bytes.length, leafId: entries.at(-1)?.id, linear: tail.linear });
  const offset = size + Buffer.byteLength(before) + (tail.state === 'whole' ? 0 : 1);
  return { entries, offset, bytes: size + bytes.length - offset, tail: tail.state };
}

const EMPTY: Tail = { state: 'whole', openBytes: 0, leafId: null, linear: false };

async function readTail(handle: OpenFile, path: string, size: number): Promise<Tail> {
  const header = await readHeader(handle, size);
  if (header === undefined) throw headerMissing(path);
  return inspectTail(handle, size, header);
}

/** Nothing may fail any more: the lines are on the disk. */
function noteEnd(
  handle: OpenFile,
  tail: KnownTail,
  { size, leafId, linear }: { size: number; leafId: string | undefined; linear: boolean },
): void {
  let now: BigIntStats;
  try {
    now = fstatSync(handle.fd, { bigint: true });
  } catch {
    return;
  }
  // A program that takes no lock may have written too.
  if (Number(now.size) === size) tail.leave(now, leafId, linear);
}

/** A label or compaction that points nowhere makes agents drop what it should keep. */
async function assertTarget(handle: OpenFile, size: number, path: string, draft: EntryDraft): Promise<void> {
  const target = targetOfDraft(draft);
  if (target !== undefined && !(await hasEntryId(handle, size, target))) throw noSuchTarget(path, draft);
}

function noSuchTarget(path: string, draft: EntryDraft): OpenBotError {
  return new OpenBotError(
    'INVALID_ARGUMENT',
    `${draft.type} names the entry ${JSON.stringify(targetOfDraft(draft))}, which is not in ${path}`,
    {
      hint: 'Nothing was written. Use the id of an entry of this transcript; lines of version 1 have none.',
    },
  );
}
