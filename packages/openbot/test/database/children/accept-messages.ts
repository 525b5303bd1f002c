/**
 * Accepts numbered messages, several at once, and puts two replies for each, until its standard input ends. Says of each
 * message when it is kept.
 */
import { keepCompiled } from '../../../../../test/setup/keep-compiled.ts';
import { openBotDatabase } from '../../../src/database/bot-database.ts';
import { openSqliteInbox } from '../../../src/inbox/sqlite/sqlite-inbox.ts';
import { openSqliteOutbox } from '../../../src/outbox/sqlite/sqlite-outbox.ts';
import { arrival } from '../../inbox/arrival.ts';
import { outbound } from '../../outbox/outbound.ts';

const [stateDir = '', name = '', times = 'Infinity'] = process.argv.slice(2);
const database = await openBotDatabase(stateDir);
const inbox = openSqliteInbox(database);
const outbox = openSqliteOutbox(database);
keepCompiled();
process.stdin
  .resume()
  .once('end', () => process.exit(1))
  .unref();
const work = async (worker: number) => {
  for (let n = 0; n < Number(times); n++) {
    const id = `${name}-${worker}-${n}`;
    const { message } = await inbox.accept(arrival(id, { sessionKey: `${name}-${worker}` }));
    console.log(`accepted ${id}`);
    await outbox.put([outbound(`${id}:1`), outbound(`${id}:2`)]);
    await inbox.move([message.seq], { state: 'answered', turnId: id });
    console.log(`answered ${id}`);
  }
};
await Promise.all([0, 1, 2, 3].map(work));
await database.close();
