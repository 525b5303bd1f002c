import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeFileAtomic } from '../disk/atomic-write.ts';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import type { LockOptions } from '../disk/lock.ts';
import type { ReadableFile } from '../disk/open-file.ts';
import { OpenBotError } from '../errors.ts';
import { composeLine } from '../transcript/compose.ts';
import { headerOf, type NewTranscript } from './create.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readRange } from './file-parts.ts';
import { assertHeld, withTranscriptLock } from './lock.ts';

const CHUNK = 1024 * 1024;
export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const { O_RDONLY, O_WRONLY, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Puts a header in front of a transcript that has none that agents accept. Every byte of the old file follows it,
 * a broken first line included, but for a byte order mark: if that alone hid the header, its removal is all that is
 * done. True when something had to be done.
 */
export async function repairTranscriptHeader(
  transcript: Omit<NewTranscript, 'durable'> & { lock?: LockOptions },
): Promise<boolean> {
  const line = Buffer.from(composeLine(headerOf(transcript)));
  const path = resolveWithinFolder(transcript.path);
  try {
    await (await openOld(path)).close();
    const repair = async (lock: HeldLock) => {
      const old = await openOld(path);
      try {
        const stat = await old.stat();
        if (!stat.isFile()) throw notAFile(path);
        if ((await readHeader(old, stat.size)) !== undefined) return false;
        const from = (await beginsWithMark(old)) ? BYTE_ORDER_MARK.length : 0;
        const isHidden = from > 0 && (await readHeader(old, stat.size, from)) !== undefined;
        await replace(path, isHidden ? Buffer.alloc(0) : line, old, from, lock);
        return true;
      } finally {
        await old.close();
      }
    };
    return await withTranscriptLock(path, repair, transcript.lock);
  } catch (error) {
    throw describeFileFault(path, error, 'write');
  }
}

function openOld(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

async function beginsWithMark(old: FileHandle): Promise<boolean> {
  return (await readRange(old, 0, BYTE_ORDER_MARK.length)).equals(BYTE_ORDER_MARK);
}

/** Makes the file `first` and what the old one holds behind `from`. */
async function replace(
  path: string,
  first: Buffer,
  old: FileHandle,
  from: number,
  lock: HeldLock,
): Promise<void> {
  let copied = from;
  const copy = async (fresh: FileHandle) => {
    await fresh.writeFile(first);
    copied = await copyFrom(old, from, fresh);
  };
  await writeFileAtomic(path, copy, { beforeRename: () => assertHeld(lock, path, 'the repair') });
  // A program that takes no lock may have appended until now.
  if ((await old.stat()).size === copied) return;
  const fresh = await open(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
  try {
    await copyFrom(old, copied, fresh);
    await fresh.sync();
  } finally {
    await fresh.close();
  }
}

/** Copies what lies behind `from` and returns where it ended. */
async function copyFrom(source: FileHandle, from: number, target: FileHandle): Promise<number> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let at = from;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK, at);
    if (bytesRead === 0) return at;
    await target.writeFile(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

export interface StoredHeader extends Record<string, unknown> {
  type: 'session';
  id: string;
}

const FIRST_READ = 4096;
/** pi looks no further for a header either. */
const FURTHEST = 1024 * 1024;

/**
 * The header that agents will find: the first line that is JSON, when that is a session header. Undefined when there
 * is none; agents refuse such a file, and older ones overwrite it. A byte order mark makes its line one that is no JSON.
 * @param from where the file is taken to begin
 */
export async function readHeader(
  handle: ReadableFile,
  size: number,
  from = 0,
): Promise<StoredHeader | undefined> {
  const furthest = Math.min(size, from + FURTHEST);
  for (let length = FIRST_READ; ; length *= 16) {
    const bytes = await readRange(handle, from, Math.min(from + length, furthest));
    const whole = bytes.length >= furthest - from;
    const found = findHeader(bytes, whole);
    if (found !== 'later' || whole) return found === 'later' ? undefined : found;
  }
}

function findHeader(bytes: Buffer, whole: boolean): StoredHeader | undefined | 'later' {
  let at = 0;
  while (at < bytes.length) {
    const feed = bytes.indexOf(0x0a, at);
    if (feed < 0 && !whole) return 'later';
    const value = parse(bytes.toString('utf8', at, feed < 0 ? bytes.length : feed));
    if (value) return isHeader(value) ? value : undefined;
    if (feed < 0) break;
    at = feed + 1;
  }
  return 'later';
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is StoredHeader {
  const header = value as Partial<StoredHeader>;
  return typeof value === 'object' && header.type === 'session' && typeof header.id === 'string';
}

/** Lines without ids, each following the one before it: version 1. */
export function isLinearVersion(header: StoredHeader): boolean {
  return Number(header.version ?? 1) < 2;
}

export function headerMissing(path: string): OpenBotError {
  return new OpenBotError('TRANSCRIPT_HEADER_INVALID', `${path} does not begin with a session header`, {
    hint: 'Nothing was written. repairTranscriptHeader puts a header in front and keeps every line.',
  });
}
