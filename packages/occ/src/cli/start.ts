import { openOutput } from './direct-output.ts';
import { run } from './main.ts';
import { openTerminal } from './open-terminal.ts';

/** The entry of the bundle: runs this process's command line on its own terminal. */
export async function start(): Promise<void> {
  const { env } = process;
  const terminal = openTerminal(openOutput(1), openOutput(2), env);
  process.exitCode = await run(process.argv.slice(2), { env, cwd: process.cwd(), terminal });
}
