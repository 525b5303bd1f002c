import { listenToProgress } from '@openbot/sessions';
import { startProgram } from '@openbot/sessions/command-line';
import { endOnSignals, undoAtEnding } from '@openbot/sessions/disk';
import { OCC } from './main.ts';

/** The entry of the bundle: runs the command line of this process. */
export async function start(): Promise<void> {
  endOnSignals();
  compileForShortRuns();
  await startProgram(OCC, {
    allowsDeletedFolder: true,
    beforeEnding: (undo) => undoAtEnding('screen', undo),
  });
}

/**
 * Keeps V8 from its slowest compiler once a session is read. A command ends before that compiler pays: it would take a
 * second core for as long as the command runs, and memory. Not earlier: modules of Node that are loaded after a change of
 * flags are compiled anew.
 */
function compileForShortRuns(): void {
  const stop = listenToProgress((news) => {
    if (!('step' in news) || !news.step?.startsWith('Reading ')) return;
    stop();
    process.getBuiltinModule('node:v8').setFlagsFromString('--no-turbofan');
  });
}
