import type { Environment } from '@openbot/sessions/layout';
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
  /** Standard input to its end. Default: it is empty. */
  readInput?(): Promise<string>;
}

/** Runs one command. Resolves to the exit code; every failure is told on stderr. */
export async function main(invocation: Invocation): Promise<number> {
  const { args, env, terminal, readInput = async () => '' } = invocation;
  try {
    const request = readArguments(args);
    if (request.kind === 'help') terminal.write(formatHelp(request.about));
    else if (request.kind === 'version') terminal.write(`openbot ${readPackageVersion()}\n`);
    else {
      const run = await request.spec.load();
      await run({
        words: request.words,
        flags: request.flags,
        env,
        get cwd() {
          return invocation.cwd;
        },
        terminal,
        get isInteractive() {
          return invocation.isInteractive ?? false;
        },
        readInput,
      });
    }
    return 0;
  } catch (error) {
    return reportError(error, terminal, asksForJson(args));
  }
}

/** Also where the rest of the command line cannot be understood. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
}
