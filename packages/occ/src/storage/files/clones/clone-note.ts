import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ownIdentity, sweepLeftovers, writeFileAtomic } from '@openbot/sessions/disk';
import { type CloneNote, findKilledClones, markOf, notePathOf, type SavedFiles } from './killed-clones.ts';

/** What a clone is about to give names to. */
type NotedClone = Pick<CloneNote, 'sessionId' | 'indexPath' | 'history'> & {
  /** The finished transcript under the name that it has so far, and the name that it gets. */
  readonly temp: string;
  readonly path: string;
};

/**
 * Writes the note of a clone. Returns the function that removes it. A note that cannot be written does not stop a clone: it
 * only matters if the process is killed.
 * @param folder of the session that is cloned
 */
export async function noteClone(folder: string, { temp, path, ...rest }: NotedClone): Promise<() => void> {
  const notePath = notePathOf(folder, path);
  const transcript = { path, ...markOf(lstatSync(temp, { bigint: true })) };
  const note: CloneNote = { maker: ownIdentity(), transcript, ...rest };
  const remove = () => removeQuietly(notePath);
  await writeFileAtomic(notePath, `${JSON.stringify(note)}\n`, { sweep: false }).catch(remove);
  return remove;
}

/** Takes away what killed clones left in a folder of sessions. A courtesy: what fails is left to the next command. */
export function sweepKilledClones(folder: string): void {
  for (const { notePath, transcript, history } of findKilledClones(folder, namesIn(folder))) {
    if (transcript !== undefined) removeQuietly(transcript);
    if (history !== undefined) takeBack(history);
    removeQuietly(notePath);
    // The transcript may still have its first name, and in the other folder the saved files theirs.
    sweepLeftovers(folder);
    if (history !== undefined) sweepLeftovers(dirname(history.folder));
  }
}

/** Hard links to the files of the original, by their inodes: what else is there by now stays. */
function takeBack({ folder, files }: SavedFiles): void {
  for (const { name, ino } of files) {
    const path = join(folder, basename(name));
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found !== undefined && String(found.ino) === ino) removeQuietly(path);
  }
  try {
    rmdirSync(folder);
  } catch {
    // There never was one, or it holds files of others.
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // See above.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
