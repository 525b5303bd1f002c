import { OpenBotError } from '@openbot/sessions';
import { abortCauseOf, abortReason } from './abort.ts';
import type { Run, RunEnd, RunEvent, Runner, RunRequest } from './contract.ts';
import { OpenCalls } from './open-calls.ts';

export interface RunLimits {
  /** Of the whole run. 600,000. */
  readonly timeoutMs?: number;
  /** How long a runner may take to end after an abort. 5,000. */
  readonly graceMs?: number;
  /** Compacts in the place of a run. */
  readonly compacts?: boolean;
}

/**
 * Runs with a limit of time, and holds a runner to its contract: the last event is always `end`, nothing is thrown, every
 * call in the transcript has a result, and after the end nothing is written. An abort by the request's signal or by the
 * limit ends with its cause.
 */
export function runWithLimits(runner: Runner, request: RunRequest, limits: RunLimits = {}): Run {
  const gate = new AppendGate(request.append);
  const controller = new AbortController();
  // A listener instead of AbortSignal.any, which takes ten times as long and is cleaned up by the collector.
  const abort = () => controller.abort(request.signal.reason);
  if (request.signal.aborted) abort();
  else request.signal.addEventListener('abort', abort, { once: true });
  const { signal } = controller;
  let run: Run | undefined;
  let isOver = false;
  const start = () => {
    const limited = { ...request, append: gate.append, signal };
    run = limits.compacts ? runner.compact(limited) : runner.start(limited);
    return run.events;
  };
  return {
    events: limitEvents(start, gate, { controller, ...limits }, () => {
      isOver = true;
      request.signal.removeEventListener('abort', abort);
    }),
    steer: (message) => !isOver && !signal.aborted && (run?.steer(message) ?? false),
  };
}

interface Limited extends RunLimits {
  /** Ends the run. */
  readonly controller: AbortController;
}

async function* limitEvents(
  start: () => AsyncIterable<RunEvent>,
  gate: AppendGate,
  { controller, timeoutMs = 600_000, graceMs = 5000 }: Limited,
  onEnd: () => void,
): AsyncGenerator<RunEvent, void, undefined> {
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(abortReason('timeout')), timeoutMs);
  const grace = new Grace(signal, graceMs);
  let iterator: AsyncIterator<RunEvent> | undefined;
  let end: RunEnd | undefined;
  try {
    iterator = start()[Symbol.asyncIterator]();
    while (end === undefined) {
      const next = await Promise.race([iterator.next(), grace.over]);
      if (next === 'over') end = { type: 'end', reason: 'aborted' };
      else if (next.done) end = fault('The runner stopped without a result');
      else if (next.value.type === 'end') end = next.value;
      else yield next.value;
    }
  } catch (error) {
    end = signal.aborted
      ? { type: 'end', reason: 'aborted' }
      : fault((error as Error)?.message ?? String(error));
  } finally {
    onEnd();
    clearTimeout(timer);
    // A consumer that stopped listening also stops the run.
    if (end === undefined) controller.abort(abortReason('person'));
    void Promise.resolve(iterator?.return?.()).catch(() => {});
    await gate.close(graceMs);
    grace.stop();
  }
  yield end.reason === 'aborted' ? { ...end, cause: abortCauseOf(signal) } : end;
}

function fault(message: string): RunEnd {
  return { type: 'end', reason: 'error', error: `The runner failed: ${message}`, isTransient: false };
}

/** Lets the appends of a run through until it has ended. */
class AppendGate {
  readonly #append: RunRequest['append'];
  readonly #calls = new OpenCalls();
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(append: RunRequest['append']) {
    this.#append = append;
  }

  readonly append: RunRequest['append'] = async (drafts) => {
    if (this.#isClosed)
      throw new OpenBotError('RUN_OVER', 'The run has ended: nothing can be written for it');
    const appending = this.#append(drafts);
    this.#underWay.add(appending);
    try {
      const entries = await appending;
      this.#calls.note(drafts);
      return entries;
    } finally {
      this.#underWay.delete(appending);
    }
  };

  /** Waits for writes that have begun, and answers the calls that the runner left open. */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      const waited = new Promise((resolve) => {
        timer = setTimeout(resolve, waitMs);
      });
      await Promise.race([Promise.allSettled(this.#underWay), waited]);
      clearTimeout(timer);
    }
    const results = this.#calls.answerAll('The run ended before this call had a result.', Date.now());
    // Without it the next run finds the open calls and answers them.
    if (results.length > 0) await this.#append(results).catch(() => {});
  }
}

/** Becomes `over` when a runner has not ended in time after an abort. */
class Grace {
  readonly over: Promise<'over'>;
  readonly #signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #begin = () => {};

  constructor(signal: AbortSignal, graceMs: number) {
    this.#signal = signal;
    this.over = new Promise((resolve) => {
      this.#begin = () => {
        this.#timer = setTimeout(() => resolve('over'), graceMs);
      };
    });
    if (signal.aborted) this.#begin();
    else signal.addEventListener('abort', this.#begin, { once: true });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#begin);
  }
}
