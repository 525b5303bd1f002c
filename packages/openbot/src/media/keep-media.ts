import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import {
  giveFolderToOwner,
  giveToFolderOwner,
  makeFolder,
  makeLeftoverPath,
  syncFolder,
} from '@openbot/sessions/disk';
import type { KeepMedia } from './contract.ts';
import { tooLarge } from './limits.ts';
import { inboundDir } from './places.ts';
import { safeName } from './safe-name.ts';
import { SNIFFED_BYTES, typeOf } from './types.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;

/**
 * Each file has a folder of its own, whose name comes from its content: a path cannot be guessed by who has not seen the
 * file, and a repeat has the path of the first one.
 */
export const keepMedia: KeepMedia = async ({ stateDir, maxBytes }, file) => {
  const inbound = await openFolder(stateDir);
  const temp = makeLeftoverPath(join(inbound, 'arriving'), 'tmp');
  const handle = await open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    let written: Written;
    try {
      written = await write(handle, file.bytes, maxBytes);
      if (written.size === 0)
        throw new OpenBotError('MEDIA_REFUSED', `The file ${JSON.stringify(file.name ?? '')} is empty`);
      giveToFolderOwner(handle.fd, temp);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const { head, size, hash } = written;
    const type = typeOf(head, { declared: file.declaredType, name: file.name });
    const name = safeName(file.name, type);
    const folder = join(inbound, hash.update(`\0${name}`).digest('hex').slice(0, 32));
    await moveInto(folder, temp, name);
    await syncFolder(folder);
    await syncFolder(inbound);
    return { path: join(folder, name), type, size, name };
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  }
};

interface Written {
  readonly head: Buffer;
  readonly size: number;
  readonly hash: ReturnType<typeof createHash>;
}

async function write(
  handle: FileHandle,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Written> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const part of bytes) {
    size += part.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    if (head.length < SNIFFED_BYTES)
      head = Buffer.concat([head, part.subarray(0, SNIFFED_BYTES - head.length)]);
    hash.update(part);
    for (let done = 0; done < part.byteLength; ) done += (await handle.write(part, done)).bytesWritten;
  }
  return { head, size, hash };
}

/** The folder of what arrives. A link in its place, or above it below the state folder, is refused. */
async function openFolder(stateDir: string): Promise<string> {
  const inbound = inboundDir(stateDir);
  await makeFolder(inbound);
  for (const folder of [join(stateDir, 'media'), inbound]) {
    if (!(await lstat(folder)).isDirectory())
      throw new OpenBotError('MEDIA_REFUSED', `${folder} is not a folder but a link`, {
        hint: 'Move it away; files of messages are kept in the state folder itself.',
      });
  }
  return inbound;
}

async function moveInto(folder: string, temp: string, name: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    await mkdir(folder, { mode: 0o700 }).then(
      () => giveFolderToOwner(folder),
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
    if (!(await lstat(folder)).isDirectory())
      throw new OpenBotError('MEDIA_REFUSED', `${folder} is not a folder`);
    try {
      // What is there has the same bytes, unless it was changed; the new time keeps it for longer.
      return await rename(temp, join(folder, name));
    } catch (error) {
      // An older one was just removed because of its age.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries > 2) throw error;
    }
  }
}
