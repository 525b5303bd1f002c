import { closeSync, openSync, readSync } from 'node:fs';
import type { Transcript } from '@openbot/sessions';

/** Reads lines of a file as they are there, without their ends. */
export function readLineOf(path: string, transcript: Transcript): (index: number) => Buffer {
  return (index) => {
    const file = openSync(path, 'r');
    try {
      const line = Buffer.alloc(transcript.endOf(index) - transcript.startOf(index));
      readSync(file, line, 0, line.length, transcript.startOf(index));
      return line;
    } finally {
      closeSync(file);
    }
  };
}
