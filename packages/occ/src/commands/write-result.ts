import { toJsonText } from '@openbot/sessions/terminal-text';
import type { SearchWarning } from '../finding/search-warning.ts';
import type { Terminal } from './command.ts';

/** One JSON value, readable by people and programs alike. */
export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${toJsonText(value, 2)}\n`);
}

/** Beside a result that is an array, and so has no place for them: one JSON object on stderr. */
export function writeWarnings(terminal: Terminal, warnings: readonly SearchWarning[]): void {
  if (warnings.length > 0) terminal.writeError(`${toJsonText({ warnings })}\n`);
}

/** A report, ended by exactly one line end. */
export function writeReport(terminal: Terminal, report: string): void {
  terminal.write(report.endsWith('\n') ? report : `${report}\n`);
}
