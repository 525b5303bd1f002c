import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { CommandInput } from './command.ts';

/** Where the person at the terminal answers. */
export interface AnswerSource {
  open(): NodeJS.ReadableStream;
  close(): void;
}

/** Undefined where nobody can be asked. Who gave the task on standard input answers at the terminal itself. */
export function findAnswerSource({ words, isInteractive }: CommandInput): AnswerSource | undefined {
  if (words[0] !== '-') return isInteractive ? { open: () => process.stdin, close: () => {} } : undefined;
  return process.stderr.isTTY ? openTerminalFile() : undefined;
}

function openTerminalFile(): AnswerSource | undefined {
  let file: number;
  try {
    file = openSync('/dev/tty', 'r');
  } catch {
    return undefined;
  }
  let stream: ReadStream | undefined;
  return {
    open() {
      stream ??= new ReadStream(file);
      return stream;
    },
    close() {
      if (stream === undefined) closeSync(file);
      else stream.destroy();
    },
  };
}
