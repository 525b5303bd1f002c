/** A program that ends on signals, with a run that takes a moment to end. Says `ready`, then `over`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { endOnSignals as endProgram } from '@openbot/sessions/disk';
import { endOnSignals } from '../../src/run/claude-run.ts';

const over = Promise.withResolvers<void>();
endProgram();
endOnSignals({
  abort: () =>
    void sleep(50).then(() => {
      console.log('over');
      over.resolve();
    }),
  over: over.promise,
});
console.log('ready');
await sleep(60_000);
process.exitCode = 99;
