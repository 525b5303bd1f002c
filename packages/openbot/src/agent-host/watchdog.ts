import { BEAT_MS } from './ipc.ts';

/**
 * Tells a process whose event loop is blocked from a machine that is merely busy: time counts only while the loop of this
 * process turns, one beat after another. A machine that sleeps, or gives neither of the two a turn, blocks nobody.
 */
export class Watchdog {
  readonly #timer: NodeJS.Timeout;
  #silentMs = 0;

  /** @param onSilence called at each of our beats with the time without one of the other process */
  constructor(onSilence: (silentMs: number) => void) {
    this.#timer = setInterval(() => {
      // However late this beat is, it counts for one.
      this.#silentMs += BEAT_MS;
      onSilence(this.#silentMs);
    }, BEAT_MS).unref();
  }

  hear(): void {
    this.#silentMs = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
