import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PIECE = 64 * 1024;
const LOOK_EVERY_MS = 200;

/** The last lines of a log, of former generations where the newest has fewer. Empty where there is none. */
export function readLastLines(path: string, count: number): string[] {
  let lines: string[] = [];
  for (let at = 0; lines.length < count; at++) {
    const name = at === 0 ? path : `${path}.${at}`;
    if (statSync(name, { throwIfNoEntry: false }) === undefined) {
      // A file that was just renamed has no successor yet.
      if (at > 0) break;
      continue;
    }
    lines = [...readEnd(name, count - lines.length), ...lines];
  }
  return lines;
}

/** How much there is now, for `readSince`. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The lines that came after the size; of a file that is smaller now all of them. */
export function readSince(path: string, size: number): string[] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8', bytes.length < size ? 0 : size);
  return text.split('\n').filter((line) => line !== '');
}

/** From the end, so that a large file costs no more than its last lines. */
function readEnd(path: string, count: number): string[] {
  if (count === 0) return [];
  const fd = openSync(path, 'r');
  try {
    let at = fstatSync(fd).size;
    let text = Buffer.alloc(0);
    // One line end more than lines: that of the line before.
    while (at > 0 && countLineEnds(text) <= count) {
      const piece = Buffer.alloc(Math.min(PIECE, at));
      at -= piece.length;
      readSync(fd, piece, 0, piece.length, at);
      text = Buffer.concat([piece, text]);
    }
    const lines = text.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.slice(-count);
  } finally {
    closeSync(fd);
  }
}

function countLineEnds(text: Buffer): number {
  let count = 0;
  for (const byte of text) if (byte === 10) count++;
  return count;
}

/** Calls `onText` with what is appended from now on, also over rotations, until the signal is aborted. */
export async function followLog(
  path: string,
  { signal, onText }: { readonly signal: AbortSignal; onText(text: string): void },
): Promise<void> {
  let fd = open(path);
  let at = fd === undefined ? 0 : fstatSync(fd).size;
  const readOn = () => {
    if (fd === undefined) return;
    const piece = Buffer.alloc(PIECE);
    for (let read = readSync(fd, piece, 0, PIECE, at); read > 0; read = readSync(fd, piece, 0, PIECE, at)) {
      at += read;
      onText(piece.toString('utf8', 0, read));
    }
  };
  try {
    while (!signal.aborted) {
      readOn();
      const named = statSync(path, { throwIfNoEntry: false });
      if (named !== undefined && (fd === undefined || named.ino !== fstatSync(fd).ino)) {
        // What came before the rename is in the file that is still open.
        readOn();
        if (fd !== undefined) closeSync(fd);
        fd = open(path);
        at = 0;
        continue;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}
