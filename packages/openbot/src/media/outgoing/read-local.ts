import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { basename, isAbsolute, sep } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { MediaSettings } from '../contract.ts';
import type { RawMedia } from '../data-url.ts';
import { tooLarge } from '../limits.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** A file of this machine. Links may be followed inside of the folders, and not out of them. */
export async function readLocal(
  { sendableDirs, maxBytes }: Pick<MediaSettings, 'sendableDirs' | 'maxBytes'>,
  path: string,
): Promise<RawMedia> {
  if (!isAbsolute(path) || path.includes('\0')) throw refused(path);
  const roots = await Promise.all(sendableDirs.map((folder) => realpath(folder).catch(() => undefined)));
  const isInside = (real: string) => roots.some((root) => root && real.startsWith(root + sep));
  const real = await realpath(path).catch((cause) => {
    throw new OpenBotError('MEDIA_REFUSED', `There is no file ${path} to send`, { cause });
  });
  if (!isInside(real)) throw refused(path);
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    // The path may have become another one since: what was opened decides, where the system tells what that is.
    if (!isInside(await whereIs(handle, real))) throw refused(path);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new OpenBotError('MEDIA_REFUSED', `${path} is not a regular file`);
    if (stats.size > maxBytes) throw tooLarge(maxBytes);
    const bytes = await handle.readFile();
    // It may have grown.
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return { bytes, name: basename(path) };
  } finally {
    await handle.close();
  }
}

function whereIs(handle: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux'
    ? readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path))
    : realpath(path);
}

function refused(path: string): OpenBotError {
  return new OpenBotError('MEDIA_REFUSED', `${path} is outside of the folders that files are sent from`, {
    hint: 'Files are sent from the workspaces of agents and from the media folder.',
  });
}
