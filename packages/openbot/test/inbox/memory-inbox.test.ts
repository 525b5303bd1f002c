import { openMemoryInbox } from '../../src/inbox/memory/memory-inbox.ts';
import { describeInboxContract } from './inbox-contract.ts';

describeInboxContract('memory', async () => openMemoryInbox());
