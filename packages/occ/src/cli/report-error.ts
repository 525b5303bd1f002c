import { paletteFor } from '../commands/ansi-palette.ts';
import type { Terminal } from '../commands/command.ts';
import { printable } from '../report/printable.ts';

interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The exit code of every failure. */
const FAILURE = 1;

/** Says on stderr what went wrong and what to do, as text or as one JSON object. Returns the exit code. */
export function reportError(
  error: unknown,
  terminal: Terminal,
  options: { json: boolean; verbose: boolean },
): number {
  const reported = describeError(error);
  if (options.json) {
    terminal.writeError(`${JSON.stringify({ success: false, error: reported })}\n`);
    return FAILURE;
  }
  const { red, dim } = paletteFor(terminal.errorColour);
  const lines = [`${red('Error:')} ${printableLines(reported.message).join('\n  ')}`];
  if (reported.hint !== undefined) lines.push(...printableLines(reported.hint).map((line) => `  ${line}`));
  if (options.verbose && error instanceof Error) lines.push(dim(error.stack ?? ''));
  terminal.writeError(`${lines.join('\n')}\n`);
  return FAILURE;
}

/** OccError and OpenBotError say it themselves; anything else was not foreseen. */
function describeError(error: unknown): ReportedError {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), hint: UNEXPECTED_HINT };
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  if (typeof code !== 'string') return { code: 'UNEXPECTED', message: error.message, hint: UNEXPECTED_HINT };
  return { code, message: error.message, ...(typeof hint === 'string' ? { hint } : {}) };
}

function printableLines(text: string): string[] {
  return text.split('\n').map(printable);
}

const UNEXPECTED_HINT = 'This is a fault in occ. Repeat it with --verbose to see where, and report it';
