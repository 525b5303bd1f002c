import { constants, type Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@openbot/sessions/disk';
import { toolFailure } from './contract.ts';
import type { OpenFolder } from './workspace.ts';

interface NewFile {
  readonly name: string;
  /** The model's name for it. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The new content was made from a file with these stats; another one in its place is not overwritten. */
  readonly madeFrom?: Stats;
}

/** Writes a file of an open folder: all of it or nothing. It keeps its rights. Resolves to whether there was one before. */
export async function replaceFile(
  folder: OpenFolder,
  { name, path, bytes, madeFrom }: NewFile,
  signal: AbortSignal,
): Promise<boolean> {
  const target = join(folder.path, name);
  const old = await lstat(target).catch(() => undefined);
  if (old?.isDirectory()) throw toolFailure(`${path} is a folder.`);
  if (old !== undefined && !old.isFile()) throw toolFailure(`${path} is not a regular file.`);
  if (madeFrom !== undefined && !isSame(old, madeFrom))
    throw toolFailure(`${path} was changed by another program meanwhile. Read it and try again.`);
  signal.throwIfAborted();
  await writeFileAtomic(target, bytes, { mode: 0o666 });
  if (old !== undefined) await restoreMode(target, old.mode & 0o777);
  return old !== undefined;
}

function isSame(now: Stats | undefined, then: Stats): boolean {
  return (
    now?.ino === then.ino && now.dev === then.dev && now.size === then.size && now.mtimeMs === then.mtimeMs
  );
}

/** An atomic write makes files private, as the state of this program is. Those of the workspace are the person's. */
async function restoreMode(path: string, mode: number): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  try {
    await handle?.chmod(mode);
  } finally {
    await handle?.close();
  }
}
