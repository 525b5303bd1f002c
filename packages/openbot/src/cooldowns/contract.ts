/** A model that failed and has not answered since. */
export interface Cooldown {
  /** A `ModelFailure`. */
  readonly failure: string;
  /** How often in a row. */
  readonly failures: number;
  /** ms, of the last failure. */
  readonly since: number;
  /** ms. Other models are tried first until then. */
  readonly until: number;
}

/** Kept over restarts and shared by all processes of a state folder. Models are named `provider/model`. */
export interface Cooldowns {
  /** All of them, also those whose time is over: they tell how often a model has failed. */
  read(): Promise<ReadonlyMap<string, Cooldown>>;
  /** Changes that of one model in one step, across processes. Undefined removes it. */
  change(model: string, change: (before: Cooldown | undefined) => Cooldown | undefined): Promise<void>;
  close(): Promise<void>;
}
