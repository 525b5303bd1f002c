import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { copyFile, link, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  giveFolderToOwner,
  giveToFolderOwner,
  makeLeftoverPath,
  sweepLeftovers,
} from '@openbot/sessions/disk';
import type { CopiedFiles } from '../files/clones/clone-traits.ts';

/** Claude Code keeps the states of files that it can go back to here, in a folder for each session id. */
interface HistoryCopy {
  readonly folder: string;
  readonly sourceSessionId: string;
  readonly newSessionId: string;
}

/**
 * Prepares the file history of a clone under a name that a later clone sweeps if this process dies. Files are hard links, as
 * in Claude Code's own forks: it never changes one, it adds versions. Undefined where the session has none.
 */
export async function copyFileHistory(copy: HistoryCopy): Promise<CopiedFiles | undefined> {
  const source = join(copy.folder, copy.sourceSessionId);
  const names = listFiles(source);
  if (names.length === 0) return undefined;
  sweepLeftovers(copy.folder);
  const target = join(copy.folder, copy.newSessionId);
  const temp = makeLeftoverPath(target, 'tmp');
  const published: string[] = [];
  mkdirSync(temp, { mode: 0o700 });
  giveFolderToOwner(temp);
  const discard = async () => {
    await rm(temp, { recursive: true, force: true });
    for (const path of published) await rm(path, { recursive: true, force: true });
  };
  try {
    for (const name of names) {
      const [from, to] = [join(source, name), join(temp, name)];
      // Not every file system has hard links.
      await link(from, to).catch(() => copyForOwner(from, to));
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const files = names.map((name) => ({
    name,
    ino: String(lstatSync(join(temp, name), { bigint: true }).ino),
  }));
  return { saved: { folder: target, files }, publish, discard };

  async function publish(): Promise<void> {
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) {
      await rename(temp, target);
      published.push(target);
      return;
    }
    // A session of that id was there before: what it has stays.
    const known = new Set(readdirSync(target));
    for (const name of names) {
      if (known.has(name)) continue;
      await rename(join(temp, name), join(target, name));
      published.push(join(target, name));
    }
    await rm(temp, { recursive: true, force: true });
  }
}

async function copyForOwner(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const copy = await open(to, 'r');
  try {
    giveToFolderOwner(copy.fd, to);
  } finally {
    await copy.close();
  }
}

/** Regular files alone: Claude Code refuses links and folders too. */
function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
