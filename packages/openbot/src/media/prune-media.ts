import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepLeftovers } from '@openbot/sessions/disk';
import { FOLDER, inboundDir } from './places.ts';

/** Removes files of messages that arrived before a time (ms), and what killed processes left. Returns how many files. */
export async function pruneMedia(stateDir: string, before: number): Promise<number> {
  const inbound = inboundDir(stateDir);
  const names = await readdir(inbound).catch(() => []);
  sweepLeftovers(inbound);
  let removed = 0;
  for (const name of names) {
    if (!FOLDER.test(name)) continue;
    const folder = join(inbound, name);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats === undefined || stats.mtimeMs >= before) continue;
    // A link is removed, not what it names.
    await rm(folder, { recursive: true, force: true });
    removed++;
  }
  return removed;
}
