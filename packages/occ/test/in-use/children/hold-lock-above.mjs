/** Holds the transcript lock and lets a process two below it say who uses the session. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { takeLock } from './openclaw-lock.mjs';

const path = process.argv[2];
const release = takeLock(path);
const script = fileURLToPath(new URL('./say-use.ts', import.meta.url));
const use = execFileSync(
  'sh',
  ['-c', '"$0" "$1" "$2" "$3"; true', process.execPath, '--conditions=openbot-source', script, path],
  {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
console.log(`use ${use}`);
release();
