import { expect, test } from 'vitest';
import { openSqliteInbox } from '../../src/inbox/sqlite/sqlite-inbox.ts';
import { openDatabaseHere } from '../database/open-here.ts';
import { describeInboxContract } from './inbox-contract.ts';

describeInboxContract('sqlite', async () => openSqliteInbox(await openDatabaseHere()));

test('a quiet topic of a busy group is found without reading the group', async () => {
  const database = await openDatabaseHere();
  const plans: string[] = [];
  openSqliteInbox({
    ...database,
    prepare: (sql) => {
      if (/SELECT \*.*ORDER BY seq DESC/s.test(sql)) {
        const steps = database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...Array(sql.split('?').length - 1).fill(1));
        plans.push(
          ...steps.map(({ detail }) => String(detail)).filter((detail) => detail.includes(' inbox ')),
        );
      }
      return database.prepare(sql);
    },
  });
  expect(plans).toEqual([
    'SEARCH inbox USING INDEX inbox_conversation (channel=? AND account_id=? AND conversation_id=? AND session_key=? AND seq<?)',
  ]);
});
