import { openMemoryCooldowns } from '../../src/cooldowns/memory/memory-cooldowns.ts';
import { testCooldowns } from './cooldowns-contract.ts';

testCooldowns('in memory', async () => openMemoryCooldowns());
