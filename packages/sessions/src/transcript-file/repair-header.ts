import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import { makeLeftoverName } from '../disk/leftover-name.ts';
import type { LockOptions } from '../disk/lock-file.ts';
import { syncFolder } from '../disk/sync-folder.ts';
import { composeLine } from '../transcript/compose.ts';
import { headerOf, type NewTranscript } from './create.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readHeader } from './header.ts';
import { withTranscriptLock } from './lock.ts';

const CHUNK = 1024 * 1024;

/**
 * Puts a header in front of a transcript that has none that agents accept. Every byte of the old file follows it,
 * a broken first line included. True when something had to be done.
 */
export async function repairTranscriptHeader(
  transcript: Omit<NewTranscript, 'durable'> & { lock?: LockOptions | undefined },
): Promise<boolean> {
  const line = Buffer.from(composeLine(headerOf(transcript)));
  const path = resolveWithinFolder(transcript.path);
  try {
    await (await openOld(path)).close();
    return await withTranscriptLock(path, transcript.lock ?? {}, async () => {
      const old = await openOld(path);
      try {
        const stat = await old.stat();
        if (!stat.isFile()) throw notAFile(path);
        if ((await readHeader(old, stat.size)) !== undefined) return false;
        await replaceWithHeader(path, line, old, stat.mode & 0o777);
        return true;
      } finally {
        await old.close();
      }
    });
  } catch (error) {
    throw describeFileFault(path, error, 'write');
  }
}

function openOld(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}

async function replaceWithHeader(path: string, line: Buffer, old: FileHandle, mode: number): Promise<void> {
  const temp = join(dirname(path), makeLeftoverName(basename(path), 'tmp'));
  const fresh = await open(temp, 'ax', mode);
  try {
    await fresh.writeFile(line);
    const copied = await copyFrom(old, 0, fresh);
    await fresh.sync();
    await rename(temp, path);
    // Whoever appends without the lock may have done so until now.
    if ((await copyFrom(old, copied, fresh)) > copied) await fresh.sync();
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  } finally {
    await fresh.close();
  }
  await syncFolder(dirname(path));
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
