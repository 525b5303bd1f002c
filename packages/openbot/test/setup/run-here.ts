import { openTerminal } from '@openbot/sessions/command-line';
import { run } from '../../src/cli/main.ts';

export interface RanHere {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HereOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly input?: string;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Runs the command in this process, which takes a fraction of the CPU time: for tests of what it does and prints, not of its
 * process, its bundle, or what the next process finds.
 */
export async function runHere(args: readonly string[], options: HereOptions): Promise<RanHere> {
  const { env, cwd, input = '', isTTY = false, columns } = options;
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({
    isTTY,
    columns,
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const terminal = openTerminal(stream('stdout'), stream('stderr'), env);
  const code = await run(args, { env, cwd, terminal, readInput: async () => input });
  return { code, ...texts };
}
