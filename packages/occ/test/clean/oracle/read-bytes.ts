import { type OracleDialect, type OracleLine, readLine } from './read-line.ts';

/** The lines of a file, found by hand: only a line feed ends one, and a carriage return before it is no part of it. */
export function splitLines(bytes: Buffer): string[] {
  const texts = bytes
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .split('\n');
  const last = texts.pop()!;
  const lines = texts.map((text) => text.replace(/\r$/, ''));
  return last === '' ? lines : [...lines, last];
}

export function readLines(bytes: Buffer, dialect: OracleDialect): OracleLine[] {
  return splitLines(bytes).map((text, index) => readLine(text, index, dialect));
}
