import { setTimeout as sleep } from 'node:timers/promises';

/** Claude Code may ask about a call that it never tells of; then it is asked all the same. */
const PATIENCE_MS = 5000;

/** The calls of tools that were told of. What Claude Code asks about a call overtakes the call itself, which is told first. */
export class AnnouncedCalls {
  readonly #calls = new Map<string, PromiseWithResolvers<void>>();

  tell(toolUseId: string): void {
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
