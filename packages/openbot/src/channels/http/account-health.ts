import type { ChannelHealth } from '../contract.ts';
import type { RefusedCalls } from './refused-calls.ts';

/** The health of an account that holds no connection: what the last calls said. */
export class AccountHealth {
  readonly #now: () => number;
  readonly #refused: Pick<RefusedCalls, 'warning'>;
  #health: ChannelHealth = { state: 'stopped' };

  constructor(now: () => number, refused: Pick<RefusedCalls, 'warning'>) {
    this.#now = now;
    this.#refused = refused;
  }

  read(): ChannelHealth {
    const { warning } = this.#refused;
    return this.#health.state === 'connected' && warning !== undefined
      ? { ...this.#health, warning }
      : this.#health;
  }

  starting(): void {
    this.#health = { state: 'starting' };
  }

  works(): void {
    if (this.#isOpen && this.#health.state !== 'connected') {
      this.#health = { state: 'connected', since: this.#now() };
    }
  }

  /** It is tried again. */
  unreachable(error: string, nextTryAt?: number): void {
    this.#fail({ state: 'reconnecting', since: this.#now(), error, nextTryAt });
  }

  /** Only a person can mend it. */
  failed(error: string): void {
    this.#fail({ state: 'failed', since: this.#now(), error });
  }

  stopped(): void {
    this.#health = { state: 'stopped' };
  }

  #fail(next: Extract<ChannelHealth, { error: string }>): void {
    if (!this.#isOpen) return;
    const since = this.#health.state === next.state ? this.#health.since : next.since;
    this.#health = { ...next, since };
  }

  get #isOpen(): boolean {
    return this.#health.state !== 'stopped';
  }
}
