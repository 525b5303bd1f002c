import { isSomebodyElses } from '@openbot/sessions/disk';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What is to be ended before this process is. */
const ends = new Set<() => void>();

/**
 * Calls `end` when this process exits or is ended by a signal, which it then still is, in the same way. Where somebody else
 * listens to a signal, it is his to decide: only an exit counts.
 * @returns what takes that back
 */
export function endWithProcess(end: () => void): () => void {
  if (ends.size === 0) {
    process.on('exit', endAll);
    // Ahead of others, who may listen only once and be gone from the list when it comes to us.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  }
  ends.add(end);
  return () => {
    if (ends.delete(end) && ends.size === 0) stopListening();
  };
}

function onSignal(signal: NodeJS.Signals): void {
  if (isSomebodyElses(signal, onSignal)) return;
  endAll();
  // Who ends the program hears the signal next, and alone.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

function endAll(): void {
  stopListening();
  for (const end of ends) end();
  ends.clear();
}

function stopListening(): void {
  process.off('exit', endAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}
