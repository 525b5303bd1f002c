import { run } from './main.ts';
import { openTerminal } from './open-terminal.ts';

/** The entry of the bundle: runs this process's command line on its own terminal. */
export async function start(): Promise<void> {
  const { env, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe);
  const terminal = openTerminal(stdout, stderr, env);
  process.exitCode = await run(process.argv.slice(2), { env, cwd: process.cwd(), terminal });
}

/** `occ list | head -1`: the reader has what it wanted. The work itself goes on. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
