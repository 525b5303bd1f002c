export interface IdleWatchOptions {
  readonly idleMs: number;
  /** Whether another run waits for the repository. */
  readonly isWanted: () => boolean;
  readonly onEnd: (ending: 'idle' | 'made-room') => void;
}

const LOOK_EVERY_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends an idle run when its time is over, or when it keeps another one waiting. */
export class IdleWatch {
  readonly #options: IdleWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  get idleMs(): number {
    return this.#options.idleMs;
  }

  /** False where it is over at once. */
  start(): boolean {
    this.stop();
    const { idleMs, isWanted, onEnd } = this.#options;
    if (isWanted()) {
      onEnd('made-room');
      return false;
    }
    this.#timer = setTimeout(() => onEnd('idle'), Math.min(idleMs, LONGEST_TIMER_MS));
    this.#look = setInterval(() => {
      if (isWanted()) onEnd('made-room');
    }, LOOK_EVERY_MS);
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#look);
  }
}
