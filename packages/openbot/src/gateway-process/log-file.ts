import {
  closeSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { redactSecrets } from '@openbot/sessions';
import { giveToFolderOwner } from '@openbot/sessions/disk';
import { printable } from '@openbot/sessions/terminal-text';

const LARGEST = 5 * 1024 * 1024;
const GENERATIONS = 3;

/** Only its owner can read it. */
export function openLogFile(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, 'a', 0o600);
  fchmodSync(fd, 0o600);
  giveToFolderOwner(fd, path);
  return fd;
}

/** A log of lines, each with its time and without secrets. A full file becomes `.1`, which becomes `.2`. */
export class LogFile {
  readonly path: string;
  readonly #limits: { readonly largest: number; readonly generations: number };
  readonly #now: () => number;
  #fd: number;
  #size: number;

  constructor(path: string, { largest = LARGEST, generations = GENERATIONS, now = Date.now } = {}) {
    this.path = path;
    this.#limits = { largest, generations };
    this.#now = now;
    this.#fd = openLogFile(path);
    this.#size = fstatSync(this.#fd).size;
  }

  /** Never throws: a full disk must not end what is logged. */
  write(line: string): void {
    const text = `${new Date(this.#now()).toISOString()} ${toLogLine(line)}\n`;
    try {
      if (this.#size > 0 && this.#size + Buffer.byteLength(text) > this.#limits.largest) this.#rotate();
      this.#size += writeSync(this.#fd, text);
    } catch {
      // There is no place to say it.
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #rotate(): void {
    const { generations } = this.#limits;
    const nameOf = (at: number) => (at === 0 ? this.path : `${this.path}.${at}`);
    rmSync(nameOf(generations), { force: true });
    for (let at = generations - 1; at >= 0; at--) {
      try {
        renameSync(nameOf(at), nameOf(at + 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    const fd = openLogFile(this.path);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#size = 0;
  }
}

/** Whether what this process prints goes there. */
export function isPrintedTo(path: string): boolean {
  try {
    const [own, other] = [fstatSync(2), statSync(path)];
    return own.ino === other.ino && own.dev === other.dev;
  } catch {
    return false;
  }
}

/** Lets what this process prints, and why it crashes, be lines of the log: with their time, without secrets, and rotated. */
export function printTo(log: Pick<LogFile, 'write'>): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = ((piece: string | Uint8Array, ...rest: readonly unknown[]) => {
      log.write(typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8'));
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    }) as typeof stream.write;
  }
  process.on('uncaughtException', (error) => {
    log.write(`The gateway ends: ${error.stack ?? error.message}`);
    process.exit(1);
  });
}

/** On one line, whatever people and models wrote. */
export function toLogLine(line: string): string {
  return printable(redactSecrets(line.trimEnd()).replaceAll('\n', ' | ').replaceAll('\t', ' '));
}
