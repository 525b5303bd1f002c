import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';

const DAY_MS = 24 * 60 * 60 * 1000;
const UNUSED_MS = 30 * DAY_MS;
/** Runs with different flags of V8 reject each other's data: not every one of them replaces it. */
const REJECTED_MS = 60 * 60 * 1000;
/** A run is over by then. */
const UNFINISHED_MS = 60 * 1000;
/** V8 takes data on a multiple of 8 as it is. */
const HEAD_BYTES = 128;

/**
 * What V8 compiled of a bundle in former runs. It is taken after a run, so that it has the functions which that run called; Node's
 * compile cache takes it before the first of them is called, and they are compiled anew in every run.
 */
export class CodeCache {
  readonly #folder: string;
  readonly #program: string;
  readonly #used: { readonly path: string; readonly head: Buffer; readonly script: Script }[] = [];
  #isStale = false;

  constructor(folder: string, program: string) {
    this.#folder = folder;
    this.#program = program;
    process.once('exit', () => {
      if (this.#isStale) this.#keep();
    });
  }

  /**
   * @param bundle the path of its file
   * @param source of the bundle: V8 itself only looks at the length of its text
   * @param compile makes the script, from the data where there is any
   */
  use(name: string, bundle: string, source: Stats, compile: (data?: Buffer) => Script): Script {
    const platform = `${process.version}-${process.arch}`;
    const path = join(this.#folder, `${this.#program}-${name}-${hash(bundle)}-${platform}`);
    const head = makeHead(source);
    const data = this.#read(path, head);
    const script = compile(data);
    if (script.cachedDataRejected && ageOf(path) > REJECTED_MS) this.#isStale = true;
    this.#used.push({ path, head, script });
    return script;
  }

  #read(path: string, head: Buffer): Buffer | undefined {
    try {
      const bytes = readFileSync(path);
      const data = bytes.subarray(0, HEAD_BYTES).equals(head)
        ? readTwice(bytes.subarray(HEAD_BYTES))
        : undefined;
      // Other runs call other functions.
      if (data === undefined || ageOf(path) > DAY_MS) this.#isStale = true;
      return data;
    } catch {
      this.#isStale = true;
      return undefined;
    }
  }

  #keep(): void {
    try {
      this.#removeUnused();
      for (const { path, head, script } of this.#used) {
        const data = script.createCachedData();
        replaceFile(path, [head, data, data]);
      }
    } catch {
      // The next run is slower.
    }
  }

  /** Of other versions of Node, and of processes that were killed. */
  #removeUnused(): void {
    for (const name of readdirSync(this.#folder)) {
      if (!name.startsWith(`${this.#program}-`)) continue;
      const path = join(this.#folder, name);
      if (ageOf(path) > (name.endsWith('.tmp') ? UNFINISHED_MS : UNUSED_MS)) rmSync(path, { force: true });
    }
  }
}

/**
 * The data, where both copies of it agree. V8 runs what it is given without checking it bit by bit, and comparing is the cheapest
 * check: 0.4 ms, where a checksum takes 0.8 ms in WebAssembly, 3 ms in JavaScript, and 3 ms to load the module of Node's own.
 */
function readTwice(bytes: Buffer): Buffer | undefined {
  const data = bytes.subarray(0, bytes.length / 2);
  return data.equals(bytes.subarray(data.length)) ? data : undefined;
}

/** In milliseconds; of a file from the future too. */
function ageOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 0 : Math.abs(Date.now() - stats.mtimeMs);
}

/** Tells installations apart; what is kept of one that is in the same place is replaced. */
function hash(path: string): string {
  let sum = 0;
  for (let i = 0; i < path.length; i++) sum = (Math.imul(sum, 31) + path.charCodeAt(i)) >>> 0;
  return sum.toString(36);
}

/** A file that is written to or replaced differs in at least one of these. */
function makeHead({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Buffer {
  return Buffer.alloc(HEAD_BYTES, `${[dev, ino, size, mtimeMs, ctimeMs].join(' ')}\n`.padEnd(HEAD_BYTES));
}

/** Whole on disk before it has its name. */
function replaceFile(path: string, parts: readonly Buffer[]): void {
  const temp = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  const fd = openSync(temp, 'wx', 0o600);
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length; ) at += writeSync(fd, part, at);
    }
    fsyncSync(fd);
    renameSync(temp, path);
  } catch (error) {
    unlinkSync(temp);
    throw error;
  } finally {
    closeSync(fd);
  }
}
