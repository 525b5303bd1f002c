import { readFileSync, statSync } from 'node:fs';
import { writeFileAtomic } from '@openbot/sessions/disk';

const BETWEEN_MS = 10 * 60 * 1000;

/** The copy of a store as it was when it could last be read, for its repair. */
export function lastGoodPathOf(storePath: string): string {
  return `${storePath}.last-good`;
}

/** Copies stores, each at most once in ten minutes, whichever process does it. Asking costs a look into a map. */
export class LastGoodCopies {
  readonly #now: () => number;
  readonly #report: (message: string) => void;
  readonly #isOwn: (storePath: string) => boolean;
  readonly #nextAt = new Map<string, number>();
  readonly #copying = new Set<Promise<void>>();

  constructor(parts: {
    now(): number;
    report(message: string): void;
    /** Whether a store is ours to put a file beside. */
    isOwn(storePath: string): boolean;
  }) {
    this.#now = parts.now;
    this.#report = parts.report;
    this.#isOwn = parts.isOwn;
  }

  /** A store was written. */
  onWritten(storePath: string): void {
    const now = this.#now();
    if (now < (this.#nextAt.get(storePath) ?? 0)) return;
    this.#nextAt.set(storePath, now + BETWEEN_MS);
    const copying = this.#copy(storePath, now).catch((error: Error) =>
      this.#report(`${storePath} could not be copied: ${error.message}`),
    );
    this.#copying.add(copying);
    void copying.finally(() => this.#copying.delete(copying));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#copying);
  }

  async #copy(storePath: string, now: number): Promise<void> {
    if (!this.#isOwn(storePath)) return;
    const path = lastGoodPathOf(storePath);
    // Another process, or an earlier one.
    const last = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (last <= now && now - last < BETWEEN_MS) {
      this.#nextAt.set(storePath, last + BETWEEN_MS);
      return;
    }
    // Read back from disk, to copy the bytes that were really written.
    const bytes = readFileSync(storePath);
    if (parseStore(bytes) !== undefined) await writeFileAtomic(path, bytes, { sweep: false });
  }
}

export type StoreContent = { readonly [key: string]: unknown };

/** Undefined where the bytes are no store. */
export function parseStore(bytes: Buffer): StoreContent | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as StoreContent) : undefined;
  } catch {
    return undefined;
  }
}
