import type { Terminal } from './command.ts';

/** One JSON value, readable by people and programs alike. */
export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A report, ended by exactly one line end. */
export function writeReport(terminal: Terminal, report: string): void {
  terminal.write(report.endsWith('\n') ? report : `${report}\n`);
}
