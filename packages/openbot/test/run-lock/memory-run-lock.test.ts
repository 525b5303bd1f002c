import { openMemoryRunLock } from '../../src/run-lock/memory/memory-run-lock.ts';
import { describeRunLockContract } from './run-lock-contract.ts';

describeRunLockContract('memory', () => openMemoryRunLock());
