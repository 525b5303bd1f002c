import { openMemoryOutbox } from '../../src/outbox/memory/memory-outbox.ts';
import { describeOutboxContract } from './outbox-contract.ts';

describeOutboxContract('memory', async () => openMemoryOutbox());
