/** Prints whether a write transaction can begin now. */
import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync(process.argv[2] ?? '', { timeout: 0 });
try {
  db.exec('BEGIN IMMEDIATE; ROLLBACK');
  console.log('free');
} catch (error) {
  console.log((error as Error).message);
}
db.close();
