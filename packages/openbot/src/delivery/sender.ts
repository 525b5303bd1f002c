import { randomUUID } from 'node:crypto';
import type { Outlet } from '../channels/contract.ts';
import { systemClock } from '../clock.ts';
import type { Outbox } from '../outbox/contract.ts';
import { AccountSender, type OutboxStep, type SenderDependencies } from './account-sender.ts';
import { RETRY_LIMITS, type RetryLimits } from './next-try.ts';

export type { OutboxStep };

export interface SenderOptions
  extends Partial<Omit<SenderDependencies, 'outbox' | 'limits' | 'leaseMarginMs'>> {
  readonly outbox: Outbox;
  /** The accounts that this process has open at first. Replies for others wait for the process that has them. */
  readonly channels: readonly Outlet[];
  readonly limits?: Partial<RetryLimits>;
}

const SEND_TIMEOUT_MS = 60_000;

/** Time to write down how a send ended, before another process takes its message for lost. */
const LEASE_MARGIN_MS = 30_000;

/** Sends what is in the outbox, each account by itself: one that is stuck does not hold up others. */
export class Sender {
  readonly #accounts = new Map<Outlet, AccountSender>();
  readonly #dependencies: SenderDependencies;
  #isAwake = false;

  constructor({ channels, limits, ...options }: SenderOptions) {
    const { sendTimeoutMs = SEND_TIMEOUT_MS } = options;
    this.#dependencies = {
      clock: systemClock,
      owner: randomUUID(),
      concurrency: 16,
      pollMs: 5000,
      lookPauseMs: 15,
      random: Math.random,
      onSent: () => {},
      onDead: () => {},
      onRetry: () => {},
      onTrouble: () => {},
      onWorked: () => {},
      ...options,
      sendTimeoutMs,
      leaseMarginMs: LEASE_MARGIN_MS,
      limits: { ...RETRY_LIMITS, ...limits },
    };
    for (const channel of channels) this.add(channel);
  }

  /** @param hide takes secrets of the account out of what its network says */
  add(channel: Outlet, hide?: (text: string) => string): void {
    const account = new AccountSender(channel, this.#dependencies, hide);
    this.#accounts.set(channel, account);
    if (this.#isAwake) account.wake();
  }

  /** As `stop`, for one account. What is left waits until it is added again. */
  async remove(channel: Outlet, options: { readonly withinMs?: number } = {}): Promise<void> {
    const account = this.#accounts.get(channel);
    this.#accounts.delete(channel);
    await account?.stop(options);
  }

  /** Starts, and looks for replies that are due. Later ones are found by themselves. */
  wake(): void {
    this.#isAwake = true;
    for (const account of this.#accounts.values()) account.wake();
  }

  /** Sends until no reply waits. False when some are left at `deadline` (ms), or are to be tried only after it. */
  async drain(deadline: number): Promise<boolean> {
    const results = await Promise.all(this.#list().map((account) => account.drain(deadline)));
    return results.every(Boolean);
  }

  /** Waits so long for the sends in progress, without an end when absent; then aborts them as possibly arrived. */
  async stop({ withinMs }: { readonly withinMs?: number } = {}): Promise<void> {
    await Promise.all(this.#list().map((account) => account.stop({ withinMs })));
  }

  #list(): readonly AccountSender[] {
    return [...this.#accounts.values()];
  }
}
