import { startProgram } from '@openbot/sessions/command-line';
import { endOnSignals, undoAtEnding } from '@openbot/sessions/disk';
import { OCC } from './main.ts';

/** The entry of the bundle: runs the command line of this process. */
export async function start(): Promise<void> {
  endOnSignals();
  await startProgram(OCC, {
    allowsDeletedFolder: true,
    beforeEnding: (undo) => undoAtEnding('screen', undo),
  });
}
