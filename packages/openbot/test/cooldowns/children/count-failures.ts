/** Counts failures of one model in a state folder. */
import { openFileCooldowns } from '../../../src/cooldowns/files/file-cooldowns.ts';

const [stateDir = '', count = '1'] = process.argv.slice(2);
const cooldowns = openFileCooldowns(stateDir);
for (let n = 0; n < Number(count); n++) {
  await cooldowns.change('a/one', (before) => ({
    failure: 'overloaded',
    failures: (before?.failures ?? 0) + 1,
    since: 1,
    until: 2,
  }));
}
