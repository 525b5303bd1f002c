/**
 * Reads one transcript several times, our way or the plain way, and prints the fastest time in ms. A process each,
 * because a hundred megabytes of garbage that one leaves behind would be collected at the cost of the other.
 */
import { readFile } from 'node:fs/promises';
import { scanTranscriptFile } from '@openbot/sessions';

const [, , way, path = '', rounds] = process.argv;

async function parseEveryLine(): Promise<number> {
  const text = await readFile(path, 'utf8');
  const entries: unknown[] = [];
  for (const line of text.split('\n')) if (line !== '') entries.push(JSON.parse(line));
  return entries.length;
}

const read = way === 'ours' ? async () => (await scanTranscriptFile(path)).length : parseEveryLine;
let fastest = Number.POSITIVE_INFINITY;
let lines = 0;
for (let round = 0; round < Number(rounds); round++) {
  const start = performance.now();
  lines = await read();
  fastest = Math.min(fastest, performance.now() - start);
}
process.stdout.write(JSON.stringify({ fastest, lines }));
