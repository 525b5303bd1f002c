/** Keeps a file open, as `flags` say, until it is told to close it. */

import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

const [path, flags] = process.argv.slice(2);
const fd = openSync(path, flags);
console.log('open');
await once(process.stdin, 'data');
closeSync(fd);
console.log('closed');
process.exit();
