import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeFileAtomic } from '../disk/atomic-write.ts';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import type { LockOptions } from '../disk/lock.ts';
import { composeLine } from '../transcript/compose.ts';
import { readRange } from './backward-lines.ts';
import { headerOf, type NewTranscript } from './create.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readHeader } from './header.ts';
import { assertHeld, withTranscriptLock } from './lock.ts';

const CHUNK = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
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
  // Whoever appends without the lock may have done so until now.
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
