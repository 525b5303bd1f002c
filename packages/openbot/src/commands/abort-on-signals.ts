import { passOnSignal } from '@openbot/sessions/disk';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface CaughtSignals {
  /** For Ctrl-C while readline reads the terminal in raw mode. */
  interrupt(): void;
  release(): void;
  /** Ends this process by the signal that was caught, after its outcome was printed. */
  dieOfCaught(): void;
}

/** `onCaught` is called at the first signal, `onAgain` at each further one. */
export function abortOnSignals(
  onCaught: () => void,
  onAgain: (signal: NodeJS.Signals) => void,
): CaughtSignals {
  let caught: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const isFirst = caught === undefined;
    caught ??= signal;
    if (isFirst) onCaught();
    else onAgain(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    interrupt: () => onSignal('SIGINT'),
    release(): void {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
    dieOfCaught(): void {
      if (caught !== undefined) passOnSignal(caught);
    },
  };
}
