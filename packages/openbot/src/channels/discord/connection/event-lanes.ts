/** What is left to do for an event. */
export interface LaneEvent {
  /** Events of one lane are handled one after the other, those of others beside them. None: there is nothing to do. */
  readonly lane?: string;
  /** Called with all earlier events done, and before any later one begins. */
  readonly isBarrier?: boolean;
  /** When this and all earlier events are done. */
  onSeen(): void;
  work?(): Promise<void>;
}

interface Waiting {
  isDone: boolean;
  readonly onSeen: () => void;
}

/**
 * Handles events so that no chat waits for another, and tells in their order that they are done. When the work of one
 * fails, those that have not begun are dropped: they arrive again.
 */
export class EventLanes {
  readonly #onFailure: (error: unknown) => void;
  readonly #lanes = new Map<string, Promise<void>>();
  #barrier: Promise<void> = Promise.resolve();
  #waiting: Waiting[] = [];
  #generation = 0;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add({ lane, isBarrier = false, onSeen, work }: LaneEvent): void {
    const entry: Waiting = { isDone: false, onSeen };
    this.#waiting.push(entry);
    if (work === undefined) {
      this.#finish(entry);
      return;
    }
    const generation = this.#generation;
    const run = async () => {
      if (generation !== this.#generation) return;
      try {
        await work();
      } catch (error) {
        if (generation === this.#generation) this.#fail(error);
        return;
      }
      if (generation === this.#generation) this.#finish(entry);
    };
    if (isBarrier) {
      this.#barrier = Promise.all([this.#barrier, ...this.#lanes.values()]).then(run);
      this.#lanes.clear();
      return;
    }
    const name = lane ?? '';
    const running = (this.#lanes.get(name) ?? this.#barrier).then(run);
    this.#lanes.set(name, running);
    void running.then(() => {
      if (this.#lanes.get(name) === running) this.#lanes.delete(name);
    });
  }

  #finish(entry: Waiting): void {
    entry.isDone = true;
    while (this.#waiting[0]?.isDone) this.#waiting.shift()?.onSeen();
  }

  #fail(error: unknown): void {
    this.drop();
    this.#onFailure(error);
  }

  /** What has not begun is forgotten. What runs goes on, and is not told as seen. */
  drop(): void {
    this.#generation++;
    this.#waiting = [];
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    await Promise.all([this.#barrier, ...this.#lanes.values()]);
  }
}
