import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Beats without work before memory is given back. */
const PATIENCE = 6;

/**
 * V8 lets a heap grow while much is allocated, and shrinks it late or never where little is afterwards. A host that has
 * nothing to do gives back what its turns left.
 */
export function freeMemoryWhenIdle(): (isIdle: boolean) => void {
  let idleBeats = PATIENCE;
  return (isIdle) => {
    idleBeats = isIdle ? idleBeats + 1 : 0;
    if (idleBeats !== PATIENCE) return;
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (how: object) => void;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  };
}
