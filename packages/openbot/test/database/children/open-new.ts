/** Opens the databases of new folders, each at the same moment as its companions. Says of each how that went. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepCompiled } from '../../../../../test/setup/keep-compiled.ts';
import { openBotDatabase } from '../../../src/database/bot-database.ts';

const [root = '', name = '', count = '0', ...companions] = process.argv.slice(2);
await (await openBotDatabase(join(root, name))).close();
keepCompiled();
for (let n = 0; n < Number(count); n++) {
  writeFileSync(join(root, `${n}-${name}`), '');
  const missing = new Set(companions);
  while (missing.size > 0) {
    for (const other of missing) if (existsSync(join(root, `${n}-${other}`))) missing.delete(other);
  }
  const opened = openBotDatabase(join(root, `state-${n}`)).then((database) => database.close());
  console.log(await opened.then(() => 'opened', String));
}
