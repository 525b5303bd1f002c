import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { forgetSessionStores } from '@openbot/sessions';

/** Whoever goes on with a conversation within this time finds all in memory. */
const IDLE_MS = 10_000;

/**
 * V8 lets a heap grow while much is allocated, and shrinks it late or never where little is afterwards. A process that has
 * nothing to do gives back what its work left, and the stores of sessions, which it can read again. It takes 50 ms.
 * Call the result about once a second.
 * @param forget drops what else can be read again
 */
export function freeMemoryWhenIdle(
  forget: () => void = () => {},
  idleMs = IDLE_MS,
): (isIdle: boolean) => void {
  let idleSince = performance.now();
  let isFree = false;
  return (isIdle) => {
    if (!isIdle) {
      idleSince = performance.now();
      isFree = false;
    } else if (!isFree && performance.now() - idleSince >= idleMs) {
      forget();
      forgetSessionStores();
      collect();
      isFree = true;
    }
  };
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (how: object) => void;
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
