import { openSqliteOutbox } from '../../src/outbox/sqlite/sqlite-outbox.ts';
import { openDatabaseHere } from '../database/open-here.ts';
import { describeOutboxContract } from './outbox-contract.ts';

describeOutboxContract('sqlite', async () => openSqliteOutbox(await openDatabaseHere()));
