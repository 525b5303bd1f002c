import { endOnSignals } from '@openbot/sessions/disk';
import { openOutput } from './direct-output.ts';
import { run } from './main.ts';
import { openTerminal } from './open-terminal.ts';
import { readWorkingFolder } from './working-folder.ts';

/** The entry of the bundle: runs this process's command line on its own terminal. */
export async function start(): Promise<void> {
  endOnSignals();
  const { env } = process;
  const terminal = openTerminal(openOutput(1), openOutput(2), env);
  process.exitCode = await run(process.argv.slice(2), {
    env,
    get cwd() {
      return readWorkingFolder(env);
    },
    terminal,
  });
}
