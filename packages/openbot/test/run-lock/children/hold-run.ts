/** Takes the run lock of a session, says so, and keeps it until it is killed or its standard input ends. */
import { keepCompiled } from '../../../../../test/setup/keep-compiled.ts';
import { openFileRunLock } from '../../../src/run-lock/files/file-run-lock.ts';

const [stateDir = '', sessionKey = ''] = process.argv.slice(2);
const locks = openFileRunLock(stateDir);
const held = await locks.acquire(sessionKey, { waitMs: 60_000 });
keepCompiled();
console.log(held === undefined ? 'not held' : 'held');
process.stdin.resume().once('end', async () => {
  await held?.release();
  console.log('released');
});
