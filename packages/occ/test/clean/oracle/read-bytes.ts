import { type OracleDialect, type OracleLine, readLine } from './read-line.ts';

/** The lines of a file, found by hand: only a line feed ends one, and a carriage return before it is no part of it. */
export function splitLines(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  const texts = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  const last = texts.pop()!;
  const lines = texts.map((line) => line.replace(/\r$/, ''));
  // A byte order mark alone is a line without an end.
  const isOver = last === '' && (lines.length > 0 || text === '');
  return isOver ? lines : [...lines, last];
}

export function readLines(bytes: Buffer, dialect: OracleDialect): OracleLine[] {
  return splitLines(bytes).map((text, index) => readLine(text, index, dialect));
}
