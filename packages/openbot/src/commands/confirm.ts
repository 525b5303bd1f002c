import { OpenBotError } from '@openbot/sessions';
import type { CommandInput, Flags } from '@openbot/sessions/command-line';

type Asking = Pick<CommandInput<Flags>, 'isInteractive' | 'terminal'> & {
  readonly flags: { readonly yes?: boolean; readonly json?: boolean };
};

/**
 * Asks before something is removed. Throws CANCELLED unless the person says yes, and USAGE where no person can be asked and
 * `--yes` is missing.
 * @param what is about to happen: `Delete agent:main:main`
 */
export async function confirm({ flags, isInteractive, terminal }: Asking, what: string): Promise<void> {
  if (flags.yes) return;
  if (flags.json || !isInteractive) {
    throw new OpenBotError('USAGE', `${what}: without a terminal this needs --yes. Nothing was changed`, {
      hint: 'Add --yes to do it without a question',
    });
  }
  terminal.warn(`${what}? [y/N] `);
  const answer = await readLine();
  if (/^y(?:es)?$/i.test(answer.trim())) return;
  throw new OpenBotError('CANCELLED', 'Cancelled. Nothing was changed.');
}

/** Empty at the end of the input. Ctrl-C ends the process, as the terminal is not in raw mode. */
async function readLine(): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    return await new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
  }
}
