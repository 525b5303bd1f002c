import { startProgram } from '@openbot/sessions/command-line';
import { endOnSignals, undoAtEnding } from '@openbot/sessions/disk';
import { OPENBOT } from './main.ts';

/** The entry of the bundle: runs the command line of this process. */
export async function start(): Promise<void> {
  endOnSignals();
  await startProgram(OPENBOT, { beforeEnding: (undo) => undoAtEnding('screen', undo) });
}
