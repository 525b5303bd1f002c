import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { ReadUnit, UsageUnit } from './contract.ts';
import type { RequestReader, UsageRequest } from './rules/request.ts';

const CHUNK = 1024 * 1024;
/** A longer line is passed over. */
const MAX_LINE = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
/** How many bytes before the place to go on from are compared. */
const COMPARED = 1024;

/**
 * Reads the requests that the lines of a file record (its path is the id of the unit), as far as they were not read before. Only lines with the marker of
 * the reader are looked at; the search for it goes by at the speed of memory.
 */
export function readRequests(unit: UsageUnit, reader: RequestReader, known?: ReadUnit): ReadUnit {
  const fd = openSync(unit.id, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size, ino } = fstatSync(fd);
    const { rest } = known ?? {};
    const goesOn = rest?.ino === ino && rest.at <= size && hashBefore(fd, rest.at) === rest.hash;
    const requests: UsageRequest[] = goesOn
      ? known!.requests.slice(0, known!.requests.length - rest.unsure)
      : [];
    const sure = { count: requests.length };
    const at = eachMarkedLine(fd, goesOn ? rest.at : 0, Buffer.from(reader.marker), (text, isEnded) => {
      const request = reader.read(text, unit.sessionId);
      if (request !== undefined) requests.push(request);
      if (isEnded) sure.count = requests.length;
    });
    return { requests, rest: { at, ino, hash: hashBefore(fd, at), unsure: requests.length - sure.count } };
  } finally {
    closeSync(fd);
  }
}

function hashBefore(fd: number, end: number): string {
  const bytes = Buffer.alloc(Math.min(COMPARED, end));
  const count = readSync(fd, bytes, 0, bytes.length, end - bytes.length);
  return hash('sha1', bytes.subarray(0, count), 'base64');
}

/** @returns behind the last line end */
function eachMarkedLine(
  fd: number,
  from: number,
  marker: Buffer,
  take: (text: string, isEnded: boolean) => void,
): number {
  let bytes = Buffer.allocUnsafeSlow(CHUNK);
  /** Where `bytes` begins in the file, and how much of it is filled. */
  let base = from;
  let filled = 0;
  /** Inside a line that is too long. */
  let isSkipping = false;
  const takeLines = (end: number, isEnded: boolean) => {
    for (let at = bytes.indexOf(marker); at >= 0 && at < end; ) {
      const start = bytes.lastIndexOf(LINE_FEED, at) + 1;
      const next = bytes.indexOf(LINE_FEED, at);
      const stop = next < 0 || next > end ? end : next;
      take(bytes.toString('utf8', start, stop), isEnded);
      at = bytes.indexOf(marker, stop);
    }
  };
  for (;;) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, base + filled);
    filled += count;
    const end = count === 0 ? -1 : bytes.subarray(0, filled).lastIndexOf(LINE_FEED);
    if (count === 0) {
      if (!isSkipping) takeLines(filled, false);
      return base;
    }
    if (end < 0 && filled < bytes.length) continue;
    if (end < 0 && bytes.length < MAX_LINE) {
      bytes = Buffer.concat([bytes, Buffer.allocUnsafeSlow(bytes.length)]);
      continue;
    }
    if (end < 0) isSkipping = true;
    else if (isSkipping) {
      // What came before the first line end is the rest of a line whose beginning is gone.
      bytes.fill(LINE_FEED, 0, bytes.indexOf(LINE_FEED));
      isSkipping = false;
    }
    const used = end < 0 ? filled : end + 1;
    if (!isSkipping) takeLines(end, true);
    bytes.copyWithin(0, used, filled);
    filled -= used;
    base += used;
    // One huge line must not cost its memory for the rest of the file.
    if (bytes.length > CHUNK && filled < CHUNK) bytes = Buffer.from(bytes.subarray(0, CHUNK));
  }
}
