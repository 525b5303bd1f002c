import { endOnSignals } from '@openbot/sessions/disk';
import { outputFailed } from '../errors.ts';
import { asksForJson, main } from './main.ts';
import { openTerminal } from './open-terminal.ts';
import { reportError } from './report-error.ts';
import { watchOutput } from './watch-output.ts';
import { readWorkingFolder } from './working-folder.ts';

/** What the command is started by. */
export async function start(): Promise<void> {
  endOnSignals();
  const { stdout, stderr, env } = process;
  const args = process.argv.slice(2);
  const lost = watchOutput(process, (error) => {
    process.exitCode = reportError(outputFailed(error.message), terminal, asksForJson(args));
  });
  const terminal = openTerminal(stdout, stderr, env, lost);
  process.exitCode = await main({
    args,
    env,
    get cwd() {
      return readWorkingFolder();
    },
    terminal,
    // Standard input is opened by those alone who need it.
    get isInteractive() {
      return process.stdin.isTTY === true && stderr.isTTY === true;
    },
    readInput: async () => (await import('node:stream/consumers')).text(process.stdin),
  });
}
