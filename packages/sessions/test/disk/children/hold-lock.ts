/** Takes a lock, says so, and keeps it until its input ends or it is killed. */
import { acquireLock } from '../../../src/disk/lock.ts';

const [path = '', staleMs] = process.argv.slice(2);
const lock = await acquireLock(path, staleMs === undefined ? {} : { staleMs: Number(staleMs) });
console.log('held');
process.stdin.resume();
process.stdin.once('end', async () => {
  await lock.release();
  console.log('released');
});
