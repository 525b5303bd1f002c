/** Opens, appends and closes every millisecond, as agents do, until it is killed. */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [path] = process.argv.slice(2);
for (let tick = 0; ; tick++) {
  appendFileSync(path, `{"type":"custom","customType":"tick","data":${tick}}\n`);
  if (tick === 0) console.log('appending');
  await sleep(1);
}
