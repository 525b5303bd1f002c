import { toJsonText } from '../terminal-text/json-text.ts';
import { printable } from '../terminal-text/printable.ts';
import type { Program } from './command.ts';
import type { Terminal } from './terminal.ts';

/** Ends a command whose output cannot be written any more. It is not reported: the loss itself is, where it is a failure. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost';
}

/**
 * Ends a check whose result, on stdout, is that something is wrong. That is no error of the command: the exit code says it, and
 * stderr stays empty.
 */
export class FaultsFound extends Error {
  override readonly name = 'FaultsFound';
}

export interface ReportMode {
  readonly json: boolean;
  readonly verbose: boolean;
}

interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** The code of the cause, where `code` is that of the operation. */
  readonly reason?: string;
}

const SILENT: readonly string[] = [OutputLost.name, FaultsFound.name];
/** The exit code of every failure that the program gives no other. */
const FAILURE = 1;
/** As after Ctrl-C. */
const CANCELLED = 130;

/** Reports a failure on stderr, as text with a hint or as one JSON object. Returns the exit code. */
export function reportError(
  program: Pick<Program, 'name' | 'commonFlags' | 'advise' | 'exitCodes'>,
  error: unknown,
  terminal: Pick<Terminal, 'writeError' | 'warn' | 'errorPalette'>,
  { json, verbose }: ReportMode,
): number {
  // Known by its name: each command is a bundle with classes of its own.
  if (error instanceof Error && SILENT.includes(error.name)) return FAILURE;
  const reported = describeError(program, error);
  if (reported.code === 'CANCELLED') {
    terminal.warn(`${printable(reported.message)}\n`);
    return CANCELLED;
  }
  const exitCode = program.exitCodes?.[reported.code] ?? FAILURE;
  if (json) {
    terminal.writeError(`${toJsonText({ success: false, error: reported })}\n`);
    return exitCode;
  }
  const { red, dim } = terminal.errorPalette;
  const lines = [`${red('Error:')} ${printableLines(reported.message).join('\n  ')}`];
  lines.push(...printableLines(reported.hint).map((line) => `  ${line}`));
  terminal.warn(`${lines.join('\n')}\n`);
  if (verbose && error instanceof Error) terminal.writeError(`${dim(error.stack ?? '')}\n`);
  return exitCode;
}

/** An OpenBotError is known by its code. The codes of the system and of Node are not documented, so they are not passed on. */
function describeError(
  program: Pick<Program, 'name' | 'commonFlags' | 'advise'>,
  error: unknown,
): ReportedError {
  const hints = makeHints(program);
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), hint: hints.fault };
  const { code, hint, syscall, reason } = error as Partial<
    Record<'code' | 'hint' | 'syscall' | 'reason', unknown>
  >;
  const { message } = error;
  if (typeof code !== 'string' || code.startsWith('ERR_')) {
    return { code: 'UNEXPECTED', message, hint: hints.fault };
  }
  if (syscall !== undefined || /^E[A-Z0-9]+$/.test(code)) {
    return { code: 'UNEXPECTED', message, hint: hints.system };
  }
  const own = typeof hint === 'string' ? hint : undefined;
  return {
    code,
    ...(typeof reason === 'string' && reason !== code ? { reason } : {}),
    message,
    hint: program.advise?.(code, own) ?? own ?? hints.plain,
  };
}

function makeHints({ name, commonFlags }: Pick<Program, 'name' | 'commonFlags'>) {
  const repeat = 'Repeat it with --verbose to see where';
  return 'verbose' in commonFlags
    ? {
        fault: `This is a fault in ${name}. ${repeat}, and report it`,
        system: 'Check the path, its permissions and the disk; --verbose shows where it happened',
        plain: `${repeat} it happened`,
      }
    : {
        fault: `This is a fault in ${name}. Please report it`,
        system: 'Check the path, its permissions and the disk',
        plain: `See: ${name} --help`,
      };
}

function printableLines(text: string): string[] {
  return text.split('\n').map(printable);
}
