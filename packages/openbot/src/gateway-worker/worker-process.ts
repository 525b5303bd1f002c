import { OpenBotError } from '@openbot/sessions';
import { writeError } from '../agent-host/ipc.ts';
import type { FromWorker, ToWorker } from './contract.ts';
import type { TaskPlace } from './task-place.ts';
import { READING, TASKS } from './tasks.ts';

/** Of what only reads, at the same time: what waits has not begun when its caller leaves. */
const MOST_READING = 2;
const ALIVE_MS = 10_000;

type Task = Extract<ToWorker, { task: number }>;

/** Does what the gateway asks for, until it is gone or ends this process. */
export async function runWorker(place: Omit<TaskPlace, 'signal'>): Promise<void> {
  if (process.send === undefined)
    throw new OpenBotError('USAGE', 'This command is started by the gateway', {
      hint: 'Run: openbot gateway start',
    });
  setInterval(() => process.send?.({ alive: true } satisfies FromWorker, () => {}), ALIVE_MS).unref();
  const reading = new Turnstile(MOST_READING);
  const going = new Map<number, AbortController>();
  process.on('message', async (message: ToWorker) => {
    if ('left' in message) {
      going.get(message.left)?.abort();
      return;
    }
    const aborting = new AbortController();
    going.set(message.task, aborting);
    const { signal } = aborting;
    const work = () => doTask(message, { ...place, signal });
    const answer = await (READING.has(message.name) ? reading.pass(work) : work());
    going.delete(message.task);
    process.send?.(answer, () => {});
  });
  await new Promise<void>((resolve) => process.once('disconnect', resolve));
  // Without its gateway there is no reader, and the next one may begin runs.
  process.exit();
}

/** Lets some through at a time. */
class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

async function doTask({ task, name, given }: Task, place: TaskPlace): Promise<FromWorker> {
  try {
    place.signal.throwIfAborted();
    return { task, value: await TASKS[name](given as never, place) };
  } catch (error) {
    return { task, error: writeError(error) };
  }
}
