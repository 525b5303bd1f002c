import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { giveFolderToOwner } from './give-to-owner.ts';
import { syncFolder } from './sync-folder.ts';

/** Makes a folder and those missing above it, 0700. `sync` is called for each that got a new name in it, inside first. */
export async function makeFolder(
  folder: string,
  sync: (folder: string) => Promise<void> = syncFolder,
): Promise<void> {
  const inner = resolve(folder);
  const outermost = await mkdir(inner, { recursive: true, mode: 0o700 });
  if (outermost === undefined) return;
  const existed = dirname(resolve(outermost));
  // From the outside in: each belongs to the owner of the one above.
  const made: string[] = [];
  for (let at = inner; at !== existed && at !== dirname(at); at = dirname(at)) made.push(at);
  for (const folder of made.toReversed()) giveFolderToOwner(folder);
  for (let at = inner; at !== existed && at !== dirname(at); ) {
    at = dirname(at);
    await sync(at);
  }
}
