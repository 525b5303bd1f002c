import type { Environment } from '@openbot/sessions';
import type { Terminal } from '../commands/command.ts';
import { readPackageVersion } from '../commands/package-version.ts';
import { formatHelp } from './help.ts';
import { readArguments } from './read-arguments.ts';
import { reportError } from './report-error.ts';

export interface Invocation {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly terminal: Terminal;
  readonly isInteractive?: boolean;
}

/** Runs one command. Resolves to the exit code; every failure is told on stderr. */
export async function main({ args, env, cwd, terminal, isInteractive = false }: Invocation): Promise<number> {
  try {
    const request = readArguments(args);
    if (request.kind === 'help') terminal.write(formatHelp(request.about));
    else if (request.kind === 'version') terminal.write(`openbot ${readPackageVersion()}\n`);
    else {
      const run = await request.spec.load();
      await run({ words: request.words, flags: request.flags, env, cwd, terminal, isInteractive });
    }
    return 0;
  } catch (error) {
    return await reportError(error, terminal, args.includes('--json'));
  }
}
