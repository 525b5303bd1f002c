/**
 * Counts up in one entry, for ever or as often as it is told, and notes in a journal of its own each update that was
 * finished. Given the name of a step, it dies there, in the update that comes after so many finished ones.
 */
import { appendFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { AtomicWriteIo } from '../../../src/disk/atomic-write.ts';
import type { SessionEntry } from '../../../src/entry/session-entry.ts';
import { openFileSessionStore } from '../../../src/store/file-store.ts';

const [path = '', key = '', journal = '', times = 'Infinity', fatalStep = '', after = '0'] =
  process.argv.slice(2);
let finished = 0;
const die = () => process.kill(process.pid, 'SIGKILL');
const reach = (step: string) => {
  if (step === fatalStep && finished === Number(after)) die();
};
const io: Partial<AtomicWriteIo> = {
  write: async (handle, data) => {
    const half = Math.trunc(data.length / 2);
    await handle.writeFile(data.subarray(0, half));
    reach('half written');
    await handle.writeFile(data.subarray(half));
    reach('written');
  },
  syncFile: async (handle) => {
    await handle.sync();
    reach('synced');
  },
  rename: async (from, to) => {
    await rename(from, to);
    reach('renamed');
  },
};
const store = openFileSessionStore(path, fatalStep === '' ? {} : { io });
// Ends with whoever started it.
process.stdin
  .resume()
  .once('end', () => process.exit(1))
  .unref();
while (finished < Number(times)) {
  const entry = await store.update(key, (present) => {
    reach('locked');
    return { ...(present as SessionEntry), updatedAt: (present?.updatedAt ?? 0) + 1 };
  });
  appendFileSync(journal, `${entry?.updatedAt}\n`);
  console.log(`finished ${++finished}`);
}
