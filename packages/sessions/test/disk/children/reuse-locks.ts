/** Takes locks as a process does that links their files again, and prints what is in the folder meanwhile. */

import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { acquireLock } from '../../../src/disk/lock.ts';
import { removeSpareLocks, reuseLockFiles } from '../../../src/disk/spare-locks.ts';

const [path = '', other = '', how = ''] = process.argv.slice(2);
const folder = dirname(path);
const say = (what: object) => console.log(JSON.stringify(what));
const names = () => readdirSync(folder).map((name) => (name.endsWith('.tmp') ? '*.tmp' : name));
const look = (at: string) => ({
  ino: statSync(at).ino,
  mode: statSync(at).mode & 0o777,
  record: JSON.parse(readFileSync(at, 'utf8')),
});

reuseLockFiles();
if (how === 'move') {
  await (await acquireLock(path)).release();
  renameSync(folder, `${folder}-moved`);
  await (await acquireLock(path)).release();
  process.exit(0);
}
const first = await acquireLock(path);
say({ is: 'first', ...look(path), names: names() });
// As a process does that waits for it.
chmodSync(path, 0o700);
await first.release();
say({ is: 'spare', names: names(), isHeld: first.isHeld() });
const second = await acquireLock(other);
say({ is: 'second', ...look(other), names: names(), isFirstHeld: first.isHeld() });
const third = await acquireLock(path);
say({ is: 'third', ...look(path) });
// Another program takes it away, and puts its own in the place.
renameSync(other, `${other}.taken`);
await second.release();
say({ is: 'lost', names: names() });
renameSync(`${other}.taken`, `${path}.kept`);
await third.release();
const fourth = await acquireLock(other);
say({ is: 'fourth', ...look(other), lostIno: statSync(`${path}.kept`).ino });
await fourth.release();
removeSpareLocks();
say({ is: 'end', names: names().filter((name) => name !== basename(`${path}.kept`)) });
const fifth = await acquireLock(path);
await fifth.release();
console.log('ready');
await once(process.stdin, 'data');
