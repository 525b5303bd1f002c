import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { scanTranscriptFile } from '@openbot/sessions';
import { LineSplitter, TranscriptBuilder } from '@openbot/sessions/transcript';
import { judgeLastExchange, type LastExchange } from './unfinished-exchange.ts';

const FIRST_TAIL = 256 * 1024;
const LONGEST_TAIL = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** How the conversation in a file was left, from the end of the file, or from all of it where that does not tell. */
export async function readLastExchange(path: string): Promise<LastExchange> {
  for (let bytes = FIRST_TAIL; bytes <= LONGEST_TAIL; bytes *= 8) {
    const tail = readTail(path, bytes);
    const exchange = judgeTail(tail.bytes);
    if (exchange !== 'unknown') return exchange;
    if (tail.isWhole) return 'finished';
  }
  return judgeLastExchange(await scanTranscriptFile(path));
}

function judgeTail(bytes: Buffer): LastExchange {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  const transcript = builder.finish(splitter.offset);
  // Lines outside the conversation alone say nothing of it.
  return transcript.lastInTree < 0 ? 'unknown' : judgeLastExchange(transcript);
}

/** Whole lines: one that begins before the tail is left out. */
function readTail(path: string, length: number): { bytes: Buffer; isWhole: boolean } {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - length);
    const bytes = Buffer.allocUnsafe(size - start);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    const read = bytes.subarray(0, filled);
    if (start === 0) return { bytes: read, isWhole: true };
    const lineEnd = read.indexOf(LINE_FEED);
    return { bytes: lineEnd < 0 ? read.subarray(0, 0) : read.subarray(lineEnd + 1), isWhole: false };
  } finally {
    closeSync(fd);
  }
}
