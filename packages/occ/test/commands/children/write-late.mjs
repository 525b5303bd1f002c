/** Opens a file for appending, and writes to it what it is told, line by line, until it is told nothing more. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const fd = openSync(process.argv[2], 'a');
console.log('open');
let count = 0;
for await (const line of createInterface(process.stdin)) {
  writeSync(fd, JSON.parse(line));
  console.log(`wrote ${++count}`);
}
closeSync(fd);
