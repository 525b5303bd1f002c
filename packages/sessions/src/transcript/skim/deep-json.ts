import { findJsonFault } from './json-fault.ts';

/** JSON.parse takes some 80 bytes for each bracket that is open at the same time. */
const DEEP = 20_000;
/** Deeper than any shape names something, and than anything is weighed. */
const KEPT_DEPTH = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * As JSON.parse, in little memory also for lines that open millions of brackets: of what is nested so deep nothing but its
 * beginning is there.
 */
export function parseJson(bytes: Buffer, start = 0, end = bytes.length): unknown {
  if (!isDeep(bytes, start, end)) return JSON.parse(bytes.toString('utf8', start, end));
  const line = bytes.subarray(start, end);
  const fault = findJsonFault(line);
  if (fault !== undefined) throw new SyntaxError(fault.reason);
  return JSON.parse(cutDepth(line));
}

function isDeep(bytes: Buffer, start: number, end: number): boolean {
  if (end - start <= DEEP) return false;
  let depth = 0;
  for (let at = start; at < end; at++) {
    if (bytes[at] === QUOTE) at = endOfString(bytes, at, end);
    else depth += stepOf(bytes[at]!);
    if (depth > DEEP) return true;
  }
  return false;
}

/** @param line whole JSON */
function cutDepth(line: Buffer): string {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === QUOTE) {
      at = endOfString(line, at, line.length);
      continue;
    }
    const step = stepOf(line[at]!);
    if (step > 0 && depth === KEPT_DEPTH) parts.push(line.toString('utf8', from, at), 'null');
    depth += step;
    if (step < 0 && depth === KEPT_DEPTH) from = at + 1;
  }
  return `${parts.join('')}${line.toString('utf8', from)}`;
}

/** Where the string ends that begins here, or the line. */
function endOfString(bytes: Buffer, start: number, end: number): number {
  let at = start + 1;
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** 1 for a bracket that opens, -1 for one that closes. */
function stepOf(byte: number): number {
  // The two kinds of brackets differ in one bit.
  const bracket = byte & ~0x20;
  return bracket === 0x5b ? 1 : bracket === 0x5d ? -1 : 0;
}
