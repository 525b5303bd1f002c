/** A gateway whose agent goes on talking: appends turn after turn to a session until it is told to stop. */
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { appendTurn } from '../append-turn.ts';

const [path, sessionId] = process.argv.slice(2) as [string, string];
const database = new DatabaseSync(path);
let isTold = false;
createInterface({ input: process.stdin }).once('line', () => {
  isTold = true;
});
let count = 0;
while (!isTold) {
  appendTurn(database, sessionId, `number ${++count}`);
  console.log(`appended ${count}`);
  await nextTurn();
}
database.close();
console.log(`stopped ${count}`);
process.exit(0);
