import { main } from './main.ts';
import { openTerminal } from './open-terminal.ts';

/** What the command is started by. */
export async function start(): Promise<void> {
  // `openbot cc list | head -1`: the reader has what it wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 1;
  });
  process.exitCode = await main({
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    terminal: openTerminal(process.stdout, process.stderr, process.env),
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  });
}
