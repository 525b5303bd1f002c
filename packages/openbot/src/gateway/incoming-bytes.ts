/** Bytes of bodies and frames that are not whole yet: without a limit for all of them, a few clients fill the memory. */
import { LARGEST_FRAME } from '../gateway-protocol/limits.ts';
import { networkOf } from '../gateway-protocol/network-of.ts';

export const MOST_INCOMING = 128 * 1024 * 1024;
/** So that others can be read meanwhile. */
export const MOST_INCOMING_OF_CALLER = 2 * LARGEST_FRAME;

export interface IncomingPart {
  /** What it has now, in the place of what it had. False where that is too much; then it has what it had. */
  hold(bytes: number): boolean;
  release(): void;
}

export class IncomingBytes {
  readonly #byCaller = new Map<string, number>();
  #all = 0;

  open(caller: string): IncomingPart {
    let held = 0;
    const hold = (bytes: number) => {
      const more = bytes - held;
      const own = (this.#byCaller.get(caller) ?? 0) + more;
      if (more > 0 && (own > MOST_INCOMING_OF_CALLER || this.#all + more > MOST_INCOMING)) return false;
      held = bytes;
      this.#all += more;
      if (own === 0) this.#byCaller.delete(caller);
      else this.#byCaller.set(caller, own);
      return true;
    };
    return { hold, release: () => void hold(0) };
  }
}

/** Who has a part of it: whoever shows the same token, wherever it is. */
export function nameSender(
  { credential, deviceId }: { readonly credential?: string; readonly deviceId?: string },
  address: string,
): string {
  return credential ?? deviceId ?? networkOf(address);
}
