import { openSqliteInbox } from '../../src/inbox/sqlite/sqlite-inbox.ts';
import { openDatabaseHere } from '../database/open-here.ts';
import { describeInboxContract } from './inbox-contract.ts';

describeInboxContract('sqlite', async () => openSqliteInbox(await openDatabaseHere()));
