import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Handles what arrives one by one, each when all that followed from the one before has been done. Node tells messages that
 * arrive together in one go: the answer to a call would be heard by its caller behind the events that come after it.
 */
export class InTurn<T> {
  readonly #handle: (item: T) => void;
  #waiting: T[] = [];
  #isPlanned = false;

  constructor(handle: (item: T) => void) {
    this.#handle = handle;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#plan();
  }

  /** Nothing more will come. */
  finish(): void {
    for (const item of this.#waiting.splice(0)) this.#handle(item);
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      const item = this.#waiting.shift();
      if (this.#waiting.length > 0) this.#plan();
      if (item !== undefined) this.#handle(item);
    });
  }
}

/** A process that it started may have inherited the connection. */
const LONGEST_MS = 500;

/** That a process has ended may be known before its last messages are. */
export async function untilDisconnected(child: ChildProcess): Promise<void> {
  if (!child.connected) return;
  const ending = new AbortController();
  const { signal } = ending;
  await Promise.race([once(child, 'disconnect', { signal }), sleep(LONGEST_MS, undefined, { signal })]).catch(
    () => {},
  );
  ending.abort();
}
