import { isSomebodyElses, passOnSignal } from '@openbot/sessions/disk';

/** A run as far as the end of this process is concerned. */
export interface LiveRun {
  abort(): void;
  /** Settles when nothing of it is left. */
  readonly over: Promise<unknown>;
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const runs = new Set<LiveRun>();

/** Until the run is over, a signal that ends this process ends the run first. */
export function endOnSignals(run: LiveRun): void {
  if (runs.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
  runs.add(run);
  const forget = () => {
    runs.delete(run);
    if (runs.size === 0) for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  void run.over.then(forget, forget);
}

function onSignal(signal: NodeJS.Signals): void {
  const ending = [...runs];
  for (const run of ending) run.abort();
  void Promise.allSettled(ending.map(({ over }) => over)).then(() => {
    // Where the program handles the signal itself, what comes next is its decision.
    if (isSomebodyElses(signal, onSignal)) return;
    process.off(signal, onSignal);
    passOnSignal(signal);
  });
}
