import { setTimeout as sleep } from 'node:timers/promises';

/** Claude Code may ask for permission for a call that it never reports; after this time it gets its answer all the same. */
const PATIENCE_MS = 5000;

/**
 * The tool calls that were reported to listeners. A permission request can arrive before the call itself; it waits here, so
 * that listeners hear of the call first.
 */
export class AnnouncedCalls {
  readonly #calls = new Map<string, PromiseWithResolvers<void>>();

  announce(toolUseId: string): void {
    this.#of(toolUseId).resolve();
  }

  async whenAnnounced(toolUseId: string): Promise<void> {
    const waiting = new AbortController();
    const late = sleep(PATIENCE_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
    await Promise.race([this.#of(toolUseId).promise, late]);
    waiting.abort();
  }

  #of(toolUseId: string): PromiseWithResolvers<void> {
    const call = this.#calls.get(toolUseId) ?? Promise.withResolvers<void>();
    this.#calls.set(toolUseId, call);
    return call;
  }
}
