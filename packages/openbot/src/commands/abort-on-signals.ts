const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A signal aborts the run first; this process dies of it when what the run came to has been told. */
export function abortOnSignals(run: { abort(): void }) {
  let caught: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    caught ??= signal;
    run.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    release(): void {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
    dieOfCaught(): void {
      if (caught !== undefined) process.kill(process.pid, caught);
    },
  };
}
