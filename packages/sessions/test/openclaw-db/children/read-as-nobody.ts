/** Reads and then changes a database, and prints the code of each failure. */
import { lookIntoOpenclawDatabase } from '../../../src/openclaw-db/look-into-database.ts';
import { openDatabaseForWriting } from '../../../src/openclaw-db/open-database.ts';
import { inTransaction } from '../../../src/openclaw-db/transaction.ts';

const [path = ''] = process.argv.slice(2);
const codeOf = (step: () => unknown) => {
  try {
    step();
    return 'fine';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};
const write = () => {
  const database = openDatabaseForWriting(path, { waitMs: 0 });
  inTransaction(database, 'immediate', () => database.db.exec("UPDATE session_nodes SET label = 'x'"));
};
console.log(
  codeOf(() => lookIntoOpenclawDatabase(path)),
  codeOf(write),
);
