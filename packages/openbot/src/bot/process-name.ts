import { randomUUID } from 'node:crypto';
import { isHolderAlive, ownIdentity } from '@openbot/sessions/disk';

/** A name for this process that tells others later whether it still lives. A new one at each call. */
export function nameProcess(): string {
  return JSON.stringify({ ...ownIdentity(), nonce: randomUUID().slice(0, 8) });
}

/** False for a process of another machine, of which nothing is known. */
export function isProcessGone(name: string): boolean {
  try {
    return isHolderAlive(JSON.parse(name)) === 'dead';
  } catch {
    return false;
  }
}
