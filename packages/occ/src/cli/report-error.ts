import { paletteFor, printable, toJsonText } from '@openbot/sessions/terminal-text';
import type { Terminal } from '../commands/command.ts';

interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** What caused it, where the code is that of the operation. */
  readonly reason?: string;
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
    terminal.writeError(`${toJsonText({ success: false, error: reported })}\n`);
    return FAILURE;
  }
  const { red, dim } = paletteFor(terminal.errorColour);
  const lines = [`${red('Error:')} ${printableLines(reported.message).join('\n  ')}`];
  lines.push(...printableLines(reported.hint).map((line) => `  ${line}`));
  if (options.verbose && error instanceof Error) lines.push(dim(error.stack ?? ''));
  terminal.writeError(`${lines.join('\n')}\n`);
  return FAILURE;
}

/**
 * OpenBotError and OpenBotError say it themselves; they are known by their code, since each bundle has classes of its own.
 * What the system and Node refuse has codes too, which nobody documents here.
 */
function describeError(error: unknown): ReportedError {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), hint: FAULT_HINT };
  const { code, hint, syscall, reason } = error as Partial<
    Record<'code' | 'hint' | 'syscall' | 'reason', unknown>
  >;
  const { message } = error;
  if (typeof code !== 'string' || code.startsWith('ERR_')) {
    return { code: 'UNEXPECTED', message, hint: FAULT_HINT };
  }
  if (syscall !== undefined || /^E[A-Z0-9]+$/.test(code)) {
    return { code: 'UNEXPECTED', message, hint: SYSTEM_HINT };
  }
  return {
    code,
    ...(typeof reason === 'string' && reason !== code ? { reason } : {}),
    message,
    hint: typeof hint === 'string' ? hint : PLAIN_HINT,
  };
}

function printableLines(text: string): string[] {
  return text.split('\n').map(printable);
}

const FAULT_HINT = 'This is a fault in occ. Repeat it with --verbose to see where, and report it';
const SYSTEM_HINT = 'Check the path, its permissions and the disk; --verbose shows where it happened';
const PLAIN_HINT = 'Repeat it with --verbose to see where it happened';
