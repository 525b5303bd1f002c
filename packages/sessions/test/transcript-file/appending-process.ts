/**
 * Run as a process of its own: appends messages `<name>-<n>` to a transcript and prints `n` once each is written.
 * Arguments: path, name, count, length of the filling.
 */
import { writeSync } from 'node:fs';
import { openTranscriptForAppend } from '../../src/transcript-file/append.ts';

const [path, name, count, filling] = process.argv.slice(2) as [string, string, string, string];
const appender = openTranscriptForAppend(path, { lock: { timeoutMs: 60_000 } });
const filler = '\u{1f511}\u2028'.repeat(Number(filling));
for (let n = 0; n < Number(count); n++) {
  await appender.append({
    type: 'message',
    message: { role: 'user', content: `${name}-${n}`, filler, timestamp: n },
  });
  writeSync(1, `${n}\n`);
}
