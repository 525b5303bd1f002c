/**
 * Waits for a lock and proves, with a file only one can make, that nobody else is inside at the same time. Then leaves
 * the lock behind as a dead process would, so that everybody has to claim it again.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock } from '../../../src/disk/lock.ts';
import { reuseLockFiles } from '../../../src/disk/spare-locks.ts';

const [path = '', witness = '', stale = '', rounds = '1', startAt = '0', how = ''] = process.argv.slice(2);
if (how === 'reuse') reuseLockFiles();
await sleep(Math.max(0, Number(startAt) - Date.now()));
for (let round = 0; round < Number(rounds); round++) {
  const lock = await acquireLock(path, { timeoutMs: 60_000, pollIntervalMs: 1 });
  writeFileSync(witness, String(process.pid), { flag: 'wx' });
  if (!lock.isHeld()) throw new Error('somebody took the lock away');
  await sleep(0);
  if (!lock.isHeld()) throw new Error('somebody took the lock away');
  writeFileSync(`${path}.${process.pid}`, stale);
  rmSync(witness);
  renameSync(`${path}.${process.pid}`, path);
  await lock.release();
}
