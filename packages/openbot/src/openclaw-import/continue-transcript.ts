import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { withTranscriptLock } from '@openbot/sessions/transcript';

/**
 * How a transcript here stands to the one that it was copied from. `behind`: that one goes on where this one ends. `ahead`: the
 * reverse. `apart`: both went on, or one was rewritten.
 */
export type Standing = 'same' | 'behind' | 'ahead' | 'apart';

const PIECE = 1024 * 1024;

export function compareTranscripts(here: string, there: string): Standing {
  return withFiles(here, there, (own, other) => {
    const [size, otherSize] = [fstatSync(own).size, fstatSync(other).size];
    const shared = Math.min(size, otherSize);
    const [one, two] = [Buffer.allocUnsafe(PIECE), Buffer.allocUnsafe(PIECE)];
    for (let at = 0; at < shared; ) {
      const length = Math.min(PIECE, shared - at);
      const read = Math.min(readSync(own, one, 0, length, at), readSync(other, two, 0, length, at));
      if (read === 0 || !one.subarray(0, read).equals(two.subarray(0, read))) return 'apart';
      at += read;
    }
    if (size === otherSize) return 'same';
    return size < otherSize ? 'behind' : 'ahead';
  });
}

/**
 * Appends what the other one has more. A copy that is cut off is behind, and is finished by the next one. Returns false where
 * this one is not behind any more.
 */
export function continueTranscript(here: string, there: string): Promise<boolean> {
  return withTranscriptLock(here, async () => {
    if (compareTranscripts(here, there) !== 'behind') return false;
    withFiles(here, there, (own, other) => {
      const piece = Buffer.allocUnsafe(PIECE);
      for (let at = fstatSync(own).size; ; ) {
        const read = readSync(other, piece, 0, PIECE, at);
        if (read === 0) break;
        for (let done = 0; done < read; ) done += writeSync(own, piece, done, read - done, at + done);
        at += read;
      }
      fsyncSync(own);
    });
    return true;
  });
}

function withFiles<T>(here: string, there: string, use: (own: number, other: number) => T): T {
  const own = openSync(here, 'r+');
  try {
    const other = openSync(there, 'r');
    try {
      return use(own, other);
    } finally {
      closeSync(other);
    }
  } finally {
    closeSync(own);
  }
}
