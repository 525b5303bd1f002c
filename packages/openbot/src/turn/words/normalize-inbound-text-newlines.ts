import { unifyReturns } from './clean-text.ts';

/** A Windows path (`C:\new`, `\\server\notes`) is one match, so that the `\n` in it is not taken for a line end. */
const WRITTEN_OUT = /(?<![A-Za-z0-9])(?:[A-Za-z]:\\|\\\\)[^\s"'`]*|(?:\\r)?\\n/g;

/** `\r\n`, `\r` and `\n` that was written out as two characters become line ends. */
export function normalizeInboundTextNewlines(text: string): string {
  const lines = unifyReturns(text);
  if (!lines.includes('\\n')) return lines;
  return lines.replace(WRITTEN_OUT, (found) => (found === '\\n' || found === '\\r\\n' ? '\n' : found));
}
