import { passOnSignal } from '@openbot/sessions/disk';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * A signal aborts the run first; this process dies of it when what the run came to has been told. `onCaught` hears of the
 * first one.
 */
export function abortOnSignals(run: { abort(): void }, onCaught: () => void) {
  let caught: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (caught === undefined) onCaught();
    caught ??= signal;
    run.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    /** Ctrl-C, where the terminal does not turn it into a signal. */
    interrupt: () => onSignal('SIGINT'),
    release(): void {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
    dieOfCaught(): void {
      if (caught !== undefined) passOnSignal(caught);
    },
  };
}
