/** Holds the right to write to a database, as a program in a long transaction does. Told `let-go`, it lets go. */
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2]);
database.exec('BEGIN IMMEDIATE');
console.log('held now');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'let-go') break;
}
database.exec('COMMIT');
database.close();
process.exit(0);
