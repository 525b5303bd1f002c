/**
 * What is undone when a signal ends the process, in this order: processes that were started, the state of the terminal, temp
 * files, locks, temp folders. All copies of this module in a process share one state: a command is made of several bundles.
 */
interface Ending {
  readonly undo: Readonly<Record<UndoStep, Set<() => void>>>;
  /** Steps that a signal must not cut in two. */
  deferrals: number;
  /** A signal that came meanwhile. */
  end: (() => void) | undefined;
  /** Those of `endOnSignals`, which act only when the process has no other listener. */
  readonly listeners: Map<NodeJS.Signals, () => void>;
}

type UndoStep = 'processes' | 'screen' | 'files' | 'locks' | 'folders';

const KEY = Symbol.for('@openbot/sessions/ending');
const shared = globalThis as { [KEY]?: Ending };
shared[KEY] ??= {
  undo: { processes: new Set(), screen: new Set(), files: new Set(), locks: new Set(), folders: new Set() },
  deferrals: 0,
  end: undefined,
  listeners: new Map(),
};
const ending = shared[KEY];

/** `undo` must be synchronous, and may be called when there is nothing to undo. Returns the function that forgets it. */
export function undoAtEnding(step: UndoStep, undo: () => void): () => void {
  ending.undo[step].add(undo);
  return () => ending.undo[step].delete(undo);
}

/** From here on a signal waits until the returned function is called: what follows is done whole. */
export function deferEnding(): () => void {
  ending.deferrals++;
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--ending.deferrals === 0) ending.end?.();
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long a signal waits for what must be done whole. */
const LONGEST_WAIT_MS = 5000;

/**
 * For the start of a program, never for a library: SIGINT, SIGTERM and SIGHUP undo what is unfinished, and the process dies
 * of the signal: a script that is stopped by Ctrl-C goes on after a command that exits by itself, and an exit waits for
 * threads that may never come back from the disk. A second signal does not wait. Where the program listens for a signal
 * itself, it decides.
 */
export function endOnSignals(): void {
  for (const signal of SIGNALS) {
    const onSignal = () => {
      if (process.listenerCount(signal) > 1) return;
      const end = () => {
        undoAll();
        process.off(signal, onSignal);
        process.kill(process.pid, signal);
      };
      if (ending.deferrals === 0 || ending.end !== undefined) return end();
      ending.end = end;
      setTimeout(end, LONGEST_WAIT_MS).unref();
    };
    ending.listeners.set(signal, onSignal);
    process.on(signal, onSignal);
  }
}

/**
 * Whether another listener handles the signal, for a listener that only cleans up before the process ends. The listener of
 * `endOnSignals` does not count: it acts only when it is the last one.
 */
export function isHandledElsewhere(signal: NodeJS.Signals, own: (signal: NodeJS.Signals) => void): boolean {
  const others = process.listeners(signal).filter((listener) => listener !== own);
  return others.some((listener) => listener !== ending.listeners.get(signal));
}

/** A signal that was listened to until now ends the process after all: as `endOnSignals` does it, else as it is. */
export function passOnSignal(signal: NodeJS.Signals): void {
  const listener = ending.listeners.get(signal);
  if (listener === undefined) process.kill(process.pid, signal);
  else listener();
}

/** A rename that is under way fails without its temp file, so files go before the locks that protect the target. */
function undoAll(): void {
  run('processes');
  run('screen');
  run('files');
  // An open that is under way in another thread makes its file after all.
  if (ending.undo.files.size > 0) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS);
    run('files');
  }
  run('locks');
  run('folders');
}

const SETTLE_MS = 5;

function run(step: UndoStep): void {
  for (const undo of [...ending.undo[step]].toReversed()) {
    try {
      undo();
    } catch {
      // What cannot be undone now is undone by the next command.
    }
  }
}
