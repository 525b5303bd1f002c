/** Writes to a database as another program does, says so, and keeps it open until it is ended. */
import { DatabaseSync } from 'node:sqlite';

const [path = '', what] = process.argv.slice(2);
const db = new DatabaseSync(path);
db.exec('PRAGMA foreign_keys = ON');
const touch = () =>
  db.exec("UPDATE session_nodes SET label = 'by another' WHERE session_key = 'agent:main:main'");

if (what === 'committed') touch();
if (what === 'relabelled')
  db.exec(
    "UPDATE session_nodes SET entry_json = json_set(entry_json, '$.label', 'x') WHERE session_key = 'agent:main:main'",
  );
if (what === 'in a transaction') {
  db.exec('BEGIN IMMEDIATE');
  touch();
}
if (what === 'half written') {
  // With so small a cache pages of the open transaction reach the file, and their old content the journal.
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 5; BEGIN IMMEDIATE');
  touch();
  const add = db.prepare("INSERT INTO cache_entries VALUES ('x', ?, ?, NULL, NULL, 1)");
  for (let i = 0; i < 500; i++) add.run(String(i), JSON.stringify('x'.repeat(1000)));
}
console.log('ready');
process.stdin.resume().on('end', () => {
  if (db.isTransaction) db.exec('COMMIT');
  db.close();
});
