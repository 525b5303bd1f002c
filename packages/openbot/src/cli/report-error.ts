import type { Terminal } from '../commands/command.ts';

/** Says on stderr what went wrong and what to do, as text or as one JSON object. Returns the exit code. */
export async function reportError(error: unknown, terminal: Terminal, asJson: boolean): Promise<number> {
  const { code, message, hint } = describe(error);
  // Loaded for who needs it: most calls end without an error.
  const { printable } = await import('@openbot/claude-code');
  const text = asJson
    ? JSON.stringify({ success: false, error: { code, message, hint } })
    : `Error: ${printable(message)}\n  ${printable(hint)}`;
  terminal.writeError(`${text}\n`);
  return 1;
}

function describe(error: unknown): { code: string; message: string; hint: string } {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), hint: FAULT };
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  // What Node and the system refuse has codes too, which nobody documents here.
  const isOurs = typeof code === 'string' && !/^(?:ERR_|E[A-Z0-9]+$)/.test(code);
  if (!isOurs) return { code: 'UNEXPECTED', message: error.message, hint: FAULT };
  return { code, message: error.message, hint: typeof hint === 'string' ? hint : 'See: openbot --help' };
}

const FAULT = 'This was not foreseen; please report it.';
