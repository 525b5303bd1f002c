import { isDiskFull } from '../queue/storage-trouble.ts';

/** Something that is tried again and again and does not work. */
export interface FailingStep {
  readonly kind: 'turn' | 'outbox' | 'inbox' | 'heartbeat' | 'send';
  /** For people: `A turn of agent:main:main`. */
  readonly step: string;
  /** In a row. */
  readonly failures: number;
  /** When it first failed. ms */
  readonly since: number;
  /** Of the last time. */
  readonly error: string;
  readonly isDiskFull?: true;
}

/** Before that it may be a passing fault. A full disk is said at once. */
const MANY = 5;

/** More fail at once only where one cause is behind all of them. */
const MOST_STEPS = 1000;

/** Counts failures of steps in a row, until they work again. */
export class FailingSteps {
  readonly #steps = new Map<string, FailingStep>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  failed(kind: FailingStep['kind'], step: string, error: unknown): void {
    const { failures = 0, since = this.#now() } = this.#steps.get(step) ?? {};
    if (failures === 0 && this.#steps.size >= MOST_STEPS) return;
    const message = error instanceof Error ? error.message : String(error);
    this.#steps.set(step, {
      kind,
      step,
      failures: failures + 1,
      since,
      error: message,
      ...(isDiskFull(error) && { isDiskFull: true }),
    });
  }

  /** It works, or is not tried any more. */
  worked(step: string): void {
    this.#steps.delete(step);
  }

  list(): readonly FailingStep[] {
    return [...this.#steps.values()].filter(({ failures, isDiskFull: isFull }) => isFull || failures >= MANY);
  }
}
