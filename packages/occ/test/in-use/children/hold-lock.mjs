/** Holds the transcript lock until it is told to let go, or killed. */
import { once } from 'node:events';
import { takeLock } from './openclaw-lock.mjs';

const release = takeLock(process.argv[2]);
console.log('held');
await once(process.stdin, 'data');
release();
console.log('released');
process.exit();
