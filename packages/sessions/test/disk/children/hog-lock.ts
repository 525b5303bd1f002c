/** Takes and releases a lock without a pause until its input ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../../src/disk/lock.ts';

const [path = ''] = process.argv.slice(2);
let stop = false;
process.stdin.resume();
process.stdin.once('end', () => {
  stop = true;
});
console.log('started');
while (!stop) await withLock(path, {}, () => sleep(2));
