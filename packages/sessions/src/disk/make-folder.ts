import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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
  for (let at = inner; at !== existed && at !== dirname(at); ) {
    at = dirname(at);
    await sync(at);
  }
}
