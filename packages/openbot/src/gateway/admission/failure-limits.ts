import { networkOf } from '../../gateway-protocol/network-of.ts';
import type { Peer } from './peer.ts';

type Place = Pick<Peer, 'address' | 'isLocal'>;

interface Limit {
  readonly failures: number;
  readonly lockedMs: number;
}

const WINDOW_MS = 60_000;
/** As OpenClaw's. */
const REMOTE: Limit = { failures: 10, lockedMs: 5 * 60_000 };
/**
 * All programs of the machine have one address, so that one with an old token would lock the others out: it takes more
 * failures, and is over sooner. Without any limit a short token could be guessed by a program of another user.
 */
const LOCAL: Limit = { failures: 100, lockedMs: 60_000 };
const MOST_ADDRESSES = 10_000;

interface Failures {
  count: number;
  sinceMs: number;
  lockedUntilMs: number;
}

/** Counts failed attempts to prove who one is, for each address. */
export class FailureLimits {
  readonly #failures = new Map<string, Failures>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long the address has to wait, ms; undefined when it may try. */
  lockedFor(peer: Place): number | undefined {
    const left = (this.#failures.get(keyOf(peer))?.lockedUntilMs ?? 0) - this.#now();
    return left > 0 ? left : undefined;
  }

  add(peer: Place): void {
    const key = keyOf(peer);
    const now = this.#now();
    const { failures, lockedMs } = peer.isLocal ? LOCAL : REMOTE;
    const before = this.#failures.get(key);
    const isSameWindow = before !== undefined && now - before.sinceMs < WINDOW_MS;
    const next = isSameWindow ? before : { count: 0, sinceMs: now, lockedUntilMs: 0 };
    next.count++;
    if (next.count >= failures) next.lockedUntilMs = now + lockedMs;
    // The newest is the last: the first one is what is forgotten.
    this.#failures.delete(key);
    this.#failures.set(key, next);
    this.#forgetOld(now);
  }

  #forgetOld(now: number): void {
    for (const [key, { sinceMs, lockedUntilMs }] of this.#failures) {
      const isOver = now - sinceMs >= WINDOW_MS && lockedUntilMs <= now;
      if (!isOver && this.#failures.size <= MOST_ADDRESSES) return;
      this.#failures.delete(key);
    }
  }
}

function keyOf({ address, isLocal }: Place): string {
  return isLocal ? 'local' : networkOf(address);
}
