/** Works on a copy of a database, or makes one and does nothing with it, until it is ended. */
import { copyDatabase } from '../../../src/openclaw-db/database-copy.ts';
import { statDatabase } from '../../../src/openclaw-db/file-versions.ts';
import { openDatabaseForReading } from '../../../src/openclaw-db/open-database.ts';

const [path = '', what] = process.argv.slice(2);
if (what === 'copied') copyDatabase(path, statDatabase(path)!);
if (what === 'opened') {
  const { db } = openDatabaseForReading(path);
  const { label } = db
    .prepare("SELECT label FROM session_nodes WHERE session_key = 'agent:main:main'")
    .get()!;
  console.log(`label ${label}`);
}
console.log('ready');
process.stdin.resume();
