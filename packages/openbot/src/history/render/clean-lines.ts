import { stripVTControlCharacters } from 'node:util';
import { printable } from '@openbot/sessions/terminal-text';

const LINE_END = /\r\n|\n|\r/;

/** The lines of a text from outside, without anything that acts on a terminal or hides what is there. */
export function cleanLines(text: string): string[] {
  const lines = stripVTControlCharacters(text)
    .split(LINE_END)
    .map((line) => printable(line.replaceAll('\t', '    ')).trimEnd());
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** What was given to a tool, as people read it: a command, or named values. */
export function formatArguments(given: unknown): string {
  if (given === undefined) return '';
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return toText(given);
  const fields = Object.entries(given);
  const isText = ([, value]: [string, unknown]) => typeof value === 'string';
  if (fields.length === 1 && isText(fields[0]!)) return toText(fields[0]![1]);
  return fields
    .map(([name, value]) => {
      const text = toText(value);
      return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join('\n');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
