import type { Worker } from 'node:worker_threads';

export interface LineSearchLimits {
  readonly mostMatches: number;
  /** Characters of a line that are shown. */
  readonly longestLine: number;
  /** ms that one file may take. A file of 10 MB takes a small part of it with an expression that does not explode. */
  readonly stallMs: number;
}

export interface FoundLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Runs in the worker. It is text, so that it needs no file of its own in a bundle. One match more than allowed is
 * returned: it tells that there are more.
 */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { pattern, flags, mostMatches, longestLine } = workerData;
const expression = new RegExp(pattern, flags);
parentPort.on('message', (bytes) => {
  const found = [];
  const lines = Buffer.from(bytes).toString('utf8').split('\\n');
  if (lines.at(-1) === '') lines.pop();
  for (let at = 0; at < lines.length && found.length <= mostMatches; at++) {
    const text = lines[at].replace(/\\r$/, '');
    const match = expression.exec(text);
    if (match === null) continue;
    const from = match.index + match[0].length <= longestLine ? 0 : Math.max(0, match.index - Math.floor(longestLine / 4));
    const part = text.slice(from, from + longestLine).toWellFormed();
    const end = from + longestLine < text.length ? '…' : '';
    found.push({ line: at + 1, text: (from > 0 ? '…' : '') + part + end });
  }
  parentPort.postMessage(found);
});
`;

/**
 * Searches texts by an expression of a model, in a thread of its own: an expression that takes exponential time blocks
 * only that, and it is ended.
 */
export class LineSearch {
  readonly #data: { pattern: string; flags: string } & Omit<LineSearchLimits, 'stallMs'>;
  readonly #stallMs: number;
  #worker: Worker | undefined;

  constructor(
    pattern: string,
    flags: string,
    limits: Omit<LineSearchLimits, 'stallMs'> & Partial<LineSearchLimits>,
  ) {
    const { stallMs = 5000, ...rest } = limits;
    this.#data = { pattern, flags, ...rest };
    this.#stallMs = stallMs;
  }

  /** One text at a time. `too slow` and an abort end the search for good. */
  async search(
    bytes: Uint8Array<ArrayBufferLike>,
    signal: AbortSignal,
  ): Promise<readonly FoundLine[] | 'too slow'> {
    const worker = await this.#start();
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<readonly FoundLine[] | 'too slow'>();
    const timer = setTimeout(() => resolve('too slow'), this.#stallMs);
    const abort = () => reject(signal.reason);
    worker.on('message', resolve).on('error', reject);
    signal.addEventListener('abort', abort, { once: true });
    try {
      worker.postMessage(bytes);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', reject);
      signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #start(): Promise<Worker> {
    if (this.#worker !== undefined) return this.#worker;
    // Rarely needed, so it is not loaded with every command.
    const { Worker } = await import('node:worker_threads');
    const worker = new Worker(SOURCE, {
      eval: true,
      workerData: this.#data,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    this.#worker = worker;
    // Also between two texts and after the last one: without a listener a failure would end the process.
    worker.on('error', () => {});
    // The time of its start is not counted as time of the first file.
    await new Promise<void>((resolve, reject) => worker.once('online', resolve).once('error', reject));
    return worker;
  }
}
