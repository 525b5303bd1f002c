import { lstat, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { resolveWithinFolder } from '../../disk/canonical-path.ts';
import { syncFolder } from '../../disk/folders.ts';
import type { HeldLock } from '../../disk/held-lock.ts';
import type { LockOptions } from '../../disk/lock.ts';
import { OpenBotError } from '../../errors.ts';
import { type ArchiveReason, classifySessionFileName, findFreeArchivePath } from '../../layout/file-name.ts';
import { emitSessionTranscriptUpdate } from '../../transcript-file/events.ts';
import { describeFileFault } from '../../transcript-file/file-faults.ts';
import { assertHeld, withTranscriptLock } from '../../transcript-file/lock.ts';

/**
 * Gives a transcript its archive name once no process writes to it, and never the name of an archive that exists.
 * Resolves to the new path; undefined when there is no such file, which is sure only once the lock is held.
 */
export async function archiveTranscript(
  path: string,
  reason: ArchiveReason,
  at: number,
  lock: LockOptions = {},
): Promise<string | undefined> {
  try {
    const move = async (held: HeldLock) => {
      if (!(await isTranscriptFile(path))) return undefined;
      const target = await findFreeArchivePath(path, reason, at);
      assertHeld(held, path, 'it was archived');
      await rename(path, target);
      await syncFolder(dirname(path));
      return target;
    };
    const archive = await withTranscriptLock(resolveWithinFolder(path), move, lock);
    if (archive !== undefined) emitSessionTranscriptUpdate(path);
    return archive;
  } catch (error) {
    throw describeFileFault(path, error, 'write');
  }
}

/** Every transcript of a session id, those of its topics included, in the order of their names. */
export async function listTranscriptsOf(folder: string, sessionId: string): Promise<readonly string[]> {
  return (await listTranscripts(folder)).get(sessionId) ?? [];
}

/** The paths of a folder's transcripts by session id, in the order of their names. */
export async function listTranscripts(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw describeFileFault(folder, error, 'read');
  });
  const transcripts = new Map<string, string[]>();
  for (const name of names.sort()) {
    const file = classifySessionFileName(name);
    if (file.kind !== 'transcript' && file.kind !== 'topic-transcript') continue;
    const paths = transcripts.get(file.sessionId);
    if (paths === undefined) transcripts.set(file.sessionId, [join(folder, name)]);
    else paths.push(join(folder, name));
  }
  return transcripts;
}

export async function isTranscriptFile(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path);
    return stat.isFile() || stat.isSymbolicLink();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw describeFileFault(path, error, 'read');
  }
}

/**
 * Runs `body` while the locks of all these transcripts are held, taken in the order given. `onRefused` hears of one that
 * cannot be had, and throws to give up; otherwise the body runs without that lock.
 */
export async function withTranscriptLocks<T>(
  paths: readonly string[],
  options: LockOptions | undefined,
  onRefused: (path: string, error: OpenBotError) => void,
  body: () => Promise<T>,
): Promise<T> {
  const [path, ...rest] = paths;
  if (path === undefined) return body();
  const goOn = () => withTranscriptLocks(rest, options, onRefused, body);
  let isHeld = false;
  const goOnLocked = () => {
    isHeld = true;
    return goOn();
  };
  try {
    return await withTranscriptLock(resolveWithinFolder(path), goOnLocked, options);
  } catch (error) {
    if (isHeld || !(error instanceof OpenBotError)) throw error;
    onRefused(path, error);
  }
  return goOn();
}
