import type { Terminal } from '@openbot/sessions/command-line';
import { toJsonText } from '@openbot/sessions/terminal-text';
import type { SearchWarning } from '../finding/search-warning.ts';

/** Beside a result that is an array, and so has no place for them: one JSON object on stderr. */
export function writeWarnings(terminal: Terminal, warnings: readonly SearchWarning[]): void {
  if (warnings.length > 0) terminal.writeError(`${toJsonText({ warnings })}\n`);
}

/** A report, ended by exactly one line end. */
export function writeReport(terminal: Terminal, report: string): void {
  terminal.say(report.endsWith('\n') ? report : `${report}\n`);
}
