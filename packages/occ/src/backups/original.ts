import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, lstatSync, type Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { reportProgress } from '@openbot/sessions';
import { giveToFolderOwner, makeLeftoverPath, syncFolder } from '@openbot/sessions/disk';
import { RestoreError } from '../errors.ts';
import type { Backup } from '../storage/contract/kept-state.ts';
import { originalNameOf } from './backup-names.ts';
import type { BackupPaths } from './backup-paths.ts';

/** The first state of a session that is known, compressed. Made when the backup that holds it is rotated out. */
export interface Original {
  readonly path: string;
  readonly createdAt: number;
  /** As it is on disk, compressed. */
  readonly packedBytes: number;
}

function originalPathOf({ folder, stem }: BackupPaths): string {
  return join(folder, originalNameOf(stem));
}

/** Undefined where none is kept. */
export function findOriginal(paths: BackupPaths): Original | undefined {
  const path = originalPathOf(paths);
  const stat = statOf(path);
  if (!stat?.isFile()) return undefined;
  return { path, createdAt: stat.ctimeMs, packedBytes: stat.size };
}

/** A file that has the name of the folder for backups holds none. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Keeps a backup as the original. It has its name when it was read back from disk and found to be the same. */
export async function keepAsOriginal(paths: BackupPaths, backup: Backup): Promise<void> {
  const { constants, createZstdCompress } = await import('node:zlib');
  reportProgress({ step: 'pack', text: 'Compressing the first state of the session' });
  const target = originalPathOf(paths);
  const temp = makeLeftoverPath(target, 'tmp');
  try {
    const read = new Digest();
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const file = await open(temp, 'wx', 0o600);
    giveToFolderOwner(file.fd, target);
    // The stream closes it.
    await pipeline(createReadStream(backup.path), read, compress, file.createWriteStream({ flush: true }));
    if (read.hex() !== (await digestOfPacked(temp))) throw new Error(`${temp} did not read back as written`);
    await rename(temp, target);
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  }
  await syncFolder(paths.folder);
}

/** Unpacks the original into a file that the caller removes; one that was killed leaves a name that is swept. */
export async function unpackOriginal({
  path,
}: Pick<Original, 'path'>): Promise<{ path: string; sizeBytes: number }> {
  const { createZstdDecompress } = await import('node:zlib');
  reportProgress({ step: 'pack', text: 'Unpacking the first state of the session' });
  const temp = makeLeftoverPath(join(dirname(path), basename(path, '.zst')), 'tmp');
  try {
    await pipeline(
      createReadStream(path),
      createZstdDecompress(),
      createWriteStream(temp, { flags: 'wx', mode: 0o600 }),
    );
    const file = await open(temp, 'r');
    try {
      return { path: temp, sizeBytes: (await file.stat()).size };
    } finally {
      await file.close();
    }
  } catch (error) {
    await unlink(temp).catch(() => {});
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z')) throw error;
    throw new RestoreError(`The original ${path} is damaged: ${(error as Error).message}`, {
      hint: 'Nothing was changed. --list shows the backups.',
      cause: error,
    });
  }
}

async function digestOfPacked(path: string): Promise<string> {
  const { createZstdDecompress } = await import('node:zlib');
  const digest = new Digest();
  digest.resume();
  await pipeline(createReadStream(path), createZstdDecompress(), digest);
  return digest.hex();
}

/** Lets bytes through and knows them again. */
class Digest extends Transform {
  readonly #hash = createHash('sha256');
  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    done(null, chunk);
  }
  hex(): string {
    return this.#hash.digest('hex');
  }
}
