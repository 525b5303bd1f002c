/** Waits for a lock and proves, with a file only one can make, that nobody else is inside at the same time. */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../../src/disk/lock.ts';
import { reuseLockFiles } from '../../../src/disk/spare-locks.ts';

const [path = '', witness = '', rounds = '1', startAt = '0', how = ''] = process.argv.slice(2);
if (how === 'reuse') reuseLockFiles();
await sleep(Math.max(0, Number(startAt) - Date.now()));
for (let round = 0; round < Number(rounds); round++) {
  await withLock(path, { timeoutMs: 60_000, pollIntervalMs: 1 }, async () => {
    writeFileSync(witness, String(process.pid), { flag: 'wx' });
    await sleep(Math.random() * 3);
    rmSync(witness);
  });
}
console.log('done');
