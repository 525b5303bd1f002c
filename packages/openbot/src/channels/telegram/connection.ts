import { type Clock, delayAfter } from '../../clock.ts';
import type { ChannelHealth } from '../contract.ts';
import { pause } from './pause.ts';
import { isCallFailure } from './telegram-api.ts';

const NETWORK_DELAYS = { firstMs: 1000, mostMs: 60_000 };
const CONFLICT_DELAYS = { firstMs: 5000, mostMs: 300_000 };
/** A wrong token or address of a webhook stays wrong, but Telegram has said so in outages too. */
const REFUSED_DELAY_MS = 300_000;
/** Conflicts this close to each other are one. */
const CONFLICT_MS = 600_000;

/** Whether Telegram answers, and how long to wait when it does not. */
export class Connection {
  readonly #clock: Clock;
  #health: ChannelHealth = { state: 'stopped' };
  #failures = 0;
  #conflicts = 0;
  #lastConflict = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get health(): ChannelHealth {
    return this.#health;
  }

  starting(): void {
    this.#health = { state: 'starting' };
  }

  stopped(): void {
    this.#health = { state: 'stopped' };
  }

  connected(): void {
    this.#failures = 0;
    if (this.#health.state !== 'connected') this.#health = { state: 'connected', since: this.#clock.now() };
  }

  /** Telegram answers, and yet no message comes. */
  heldUp(error: string): void {
    this.#failures = 0;
    const since = this.#health.state === 'reconnecting' ? this.#health.since : this.#clock.now();
    this.#health = { state: 'reconnecting', since, error };
  }

  /** Notes why a call failed, and waits until the next one may be made. */
  async recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { state, text, delayMs } = this.#judge(error);
    const now = this.#clock.now();
    const since = this.#health.state === state ? this.#health.since : now;
    this.#health =
      state === 'failed'
        ? { state, since, error: text }
        : { state, since, error: text, nextTryAt: now + delayMs };
    await pause(this.#clock, delayMs, signal);
  }

  #judge(error: unknown): {
    readonly state: 'failed' | 'reconnecting';
    readonly text: string;
    readonly delayMs: number;
  } {
    const failure = isCallFailure(error) ? error : undefined;
    const text = error instanceof Error ? error.message : String(error);
    switch (failure?.status) {
      case 401:
      case 404:
        return {
          state: 'failed',
          text: explainToken(text),
          delayMs: REFUSED_DELAY_MS,
        };
      case 400:
        return { state: 'failed', text, delayMs: REFUSED_DELAY_MS };
      case 409:
        return this.#judgeConflict(failure.description ?? '');
    }
    const delayMs = failure?.retryAfterMs ?? delayAfter(++this.#failures, NETWORK_DELAYS);
    return { state: 'reconnecting', text, delayMs };
  }

  /** The other one may be an earlier run of this program that Telegram has not noticed the end of, so it is given time. */
  #judgeConflict(description: string) {
    const now = this.#clock.now();
    this.#conflicts = now - this.#lastConflict > CONFLICT_MS ? 1 : this.#conflicts + 1;
    this.#lastConflict = now;
    const text = description.includes('webhook')
      ? 'Another program has set a webhook for this bot, so its messages do not come here. Stop that program, or give it a bot of its own.'
      : 'Another program asks for the messages of this bot, and Telegram gives them to one alone. Stop that program, or give it a bot of its own.';
    const state = this.#conflicts >= 3 ? ('failed' as const) : ('reconnecting' as const);
    return { state, text, delayMs: delayAfter(this.#conflicts, CONFLICT_DELAYS) };
  }
}

export function explainToken(text: string): string {
  return `Telegram does not know the botToken (${text}).`;
}
