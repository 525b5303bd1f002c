/** What all callers together may have at the same time, and each of them at most, so that others find room. */
import { LARGEST_FRAME } from '../gateway-protocol/limits.ts';
import { networkOf } from '../gateway-protocol/network-of.ts';

export interface ShareLimits {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** Bytes of bodies and frames that are not whole yet: without a limit for all of them, a few clients fill the memory. */
export const INCOMING_BYTES: ShareLimits = { ofAll: 128 * 1024 * 1024, ofOne: 2 * LARGEST_FRAME };
/** Requests with a token over HTTP that are not answered yet. */
export const OPEN_REQUESTS: ShareLimits = { ofAll: 500, ofOne: 100 };
/** The same of chat networks, and of pages, which show no token. */
export const OPEN_WEBHOOKS: ShareLimits = { ofAll: 500, ofOne: 500 };
export const OPEN_PAGES: ShareLimits = { ofAll: 500, ofOne: 500 };

export interface Share {
  /** What it has now, in the place of what it had. False where that is too much; then it has what it had. */
  hold(amount: number): boolean;
  release(): void;
}

export class Shares {
  readonly #limits: ShareLimits;
  readonly #byCaller = new Map<string, number>();
  #all = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  open(caller: string): Share {
    const { ofAll, ofOne } = this.#limits;
    let held = 0;
    const hold = (amount: number) => {
      const more = amount - held;
      const own = (this.#byCaller.get(caller) ?? 0) + more;
      if (more > 0 && (own > ofOne || this.#all + more > ofAll)) return false;
      held = amount;
      this.#all += more;
      if (own === 0) this.#byCaller.delete(caller);
      else this.#byCaller.set(caller, own);
      return true;
    };
    return { hold, release: () => void hold(0) };
  }
}

/** Who has a share: whoever shows the same token, wherever it is. */
export function nameSender(
  { credential, deviceId }: { readonly credential?: string; readonly deviceId?: string },
  address: string,
): string {
  return credential ?? deviceId ?? networkOf(address);
}
