import type { FileHandle } from 'node:fs/promises';
import { OpenBotError } from '../errors.ts';
import { readRange } from './backward-lines.ts';

export type StoredHeader = Record<string, unknown> & { type: 'session'; id: string };

const FIRST_READ = 4096;
/** pi looks no further for a header either. */
const FURTHEST = 1024 * 1024;

/**
 * The header that agents will find: the first line that is JSON, when that is a session header. Undefined when there
 * is none; agents refuse such a file, and older ones overwrite it. A byte order mark makes its line one that is no JSON.
 * @param from where the file is taken to begin
 */
export async function readHeader(
  handle: FileHandle,
  size: number,
  from = 0,
): Promise<StoredHeader | undefined> {
  const furthest = Math.min(size, from + FURTHEST);
  for (let length = FIRST_READ; ; length *= 16) {
    const bytes = await readRange(handle, from, Math.min(from + length, furthest));
    const whole = bytes.length >= furthest - from;
    const found = findHeader(bytes, whole);
    if (found !== 'later' || whole) return found === 'later' ? undefined : found;
  }
}

function findHeader(bytes: Buffer, whole: boolean): StoredHeader | undefined | 'later' {
  let at = 0;
  while (at < bytes.length) {
    const feed = bytes.indexOf(0x0a, at);
    if (feed < 0 && !whole) return 'later';
    const value = parse(bytes.toString('utf8', at, feed < 0 ? bytes.length : feed));
    if (value) return isHeader(value) ? value : undefined;
    if (feed < 0) break;
    at = feed + 1;
  }
  return 'later';
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is StoredHeader {
  const header = value as Partial<StoredHeader>;
  return typeof value === 'object' && header.type === 'session' && typeof header.id === 'string';
}

/** Lines without ids, each following the one before it: version 1. */
export function isLinearVersion(header: StoredHeader): boolean {
  return Number(header.version ?? 1) < 2;
}

export function headerMissing(path: string): OpenBotError {
  return new OpenBotError('TRANSCRIPT_HEADER_INVALID', `${path} does not begin with a session header`, {
    hint: 'Nothing was written. repairTranscriptHeader puts a header in front and keeps every line.',
  });
}
