/** Writes a session of a database to a file that reaches the disk, changes some of its rows, and prints how long it took. */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

const [path = '', sessionId = '', changes = '', backup = ''] = process.argv.slice(2);
const { removed, replaced } = JSON.parse(readFileSync(changes, 'utf8')) as {
  removed: number[];
  replaced: [number, string][];
};
rmSync(backup, { force: true });

const started = performance.now();
const database = new DatabaseSync(path);
database.exec('PRAGMA synchronous = FULL');
const file = openSync(backup, 'wx');
const rows = database.prepare(
  'SELECT event_json AS json, event_zstd AS zstd FROM transcript_events WHERE session_id = ? ORDER BY seq',
);
let text: string[] = [];
let size = 0;
for (const { json, zstd } of rows.iterate(sessionId)) {
  const line = json === null ? zstdDecompressSync(zstd as Uint8Array).toString() : String(json);
  text.push(line);
  size += line.length;
  if (size < 1024 * 1024) continue;
  writeSync(file, `${text.join('\n')}\n`);
  text = [];
  size = 0;
}
if (text.length > 0) writeSync(file, `${text.join('\n')}\n`);
fsyncSync(file);
closeSync(file);
database.exec('BEGIN IMMEDIATE');
const remove = database.prepare('DELETE FROM transcript_events WHERE session_id = ? AND seq = ?');
const replace = database.prepare(
  'UPDATE transcript_events SET event_json = ?, event_zstd = NULL, navigation_json = NULL WHERE session_id = ? AND seq = ?',
);
for (const seq of removed) remove.run(sessionId, seq);
for (const [seq, json] of replaced) replace.run(json, sessionId, seq);
database.exec('COMMIT');
database.close();
console.log(performance.now() - started);
