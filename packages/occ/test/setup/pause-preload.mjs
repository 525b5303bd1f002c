/**
 * Loaded into a real process by `node --import`: stops it just before or just after it renames a file to the path in
 * PAUSE for the first time, says so on descriptor 3, and goes on when descriptor 4 says so. See pause.ts.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { path, when } = JSON.parse(process.env.PAUSE);
const { renameSync, writeSync, readSync } = fs;

let isOver = false;

function pause() {
  if (isOver) return;
  isOver = true;
  writeSync(3, 'paused\n');
  readSync(4, Buffer.alloc(1));
}

fs.renameSync = (from, to) => {
  const isMeant = String(to) === path;
  if (isMeant && when === 'before') pause();
  renameSync(from, to);
  if (isMeant && when === 'after') pause();
};
syncBuiltinESMExports();
