type Step = () => void | Promise<void>;

/** Steps of a session are done one after another. One that has nothing to wait for is done at once. */
export class SessionLanes {
  readonly #lanes = new Map<string, Step[]>();
  readonly #going = new Set<Promise<void>>();

  add(address: string, step: Step): void {
    const lane = this.#lanes.get(address);
    if (lane !== undefined) {
      lane.push(step);
      return;
    }
    const done = attempt(step);
    if (done === undefined) return;
    const steps: Step[] = [];
    this.#lanes.set(address, steps);
    const going = this.#go(address, done, steps);
    this.#going.add(going);
    void going.then(() => this.#going.delete(going));
  }

  /** Resolves when the steps of now are done. */
  async idle(): Promise<void> {
    await Promise.all(this.#going);
  }

  async #go(address: string, first: Promise<void>, steps: Step[]): Promise<void> {
    await first;
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) await attempt(step);
    this.#lanes.delete(address);
  }
}

/** Events tell of what is kept elsewhere: one that cannot be made is left out. */
function attempt(step: Step): Promise<void> | undefined {
  try {
    const done = step();
    return done?.catch(() => {});
  } catch {
    return undefined;
  }
}
