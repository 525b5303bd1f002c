import { type Clock, delayAfter } from '../../../clock.ts';
import type { Json } from '../../http/hostile-json.ts';
import { pause } from '../pause.ts';
import { LARGEST_ALBUM } from './album.ts';

export interface Update extends Json {
  readonly update_id: number;
}

interface Entry {
  readonly update: Update;
  readonly conversation: string;
  readonly album: string | undefined;
  state: 'working' | 'done' | { readonly retryAt: number };
  failures: number;
}

export interface UpdateWorkOptions {
  /** Is given one, or those of an album. Rejects when they could not be kept. */
  readonly handle: (updates: readonly Update[]) => Promise<void>;
  readonly conversationOf: (update: Update) => string;
  readonly albumOf: (update: Update) => string | undefined;
  /** Nothing more is waited for. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** As many as Telegram gives at a time: behind so many that are not confirmed it gives no others. */
export const BATCH = 100;
/** An album is whole when no part of it came for so long. Longer than the time between two polls. */
const ALBUM_MS = 1500;
const DELAYS = { firstMs: 1000, mostMs: 30_000 };

/**
 * Updates that Telegram has no confirmation for. Those of one conversation are handled one after the other and in order, also when one
 * of them must be tried again; other conversations go on meanwhile. An update is confirmed by asking for what comes
 * behind it, so `offset` does not pass the first one that is not kept.
 */
export class UpdateWork {
  readonly #options: UpdateWorkOptions;
  #entries: Entry[] = [];
  #last: number | undefined;
  /** The end of the work of each conversation that has some. */
  readonly #chains = new Map<string, Promise<void>>();

  constructor(options: UpdateWorkOptions) {
    this.#options = options;
  }

  /** Undefined before the first update: all that Telegram has. */
  get offset(): number | undefined {
    const [first] = this.#entries;
    if (first !== undefined) return first.update.update_id;
    return this.#last === undefined ? undefined : this.#last + 1;
  }

  get open(): number {
    return this.#entries.length;
  }

  /** Those that are known already are left out: Telegram repeats all behind the offset. */
  add(updates: readonly Update[]): void {
    const known = new Set(this.#entries.map(({ update }) => update.update_id));
    for (const update of updates) {
      if (known.has(update.update_id)) continue;
      known.add(update.update_id);
      const { conversationOf, albumOf } = this.#options;
      const names = { conversation: conversationOf(update), album: albumOf(update) };
      const entry: Entry = { update, ...names, state: 'working', failures: 0 };
      this.#entries.push(entry);
      this.#schedule(entry);
    }
  }

  /** Tries those again whose time has come. */
  retryDue(): void {
    const now = this.#options.clock.now();
    for (const entry of this.#entries) {
      if (typeof entry.state !== 'object' || entry.state.retryAt > now) continue;
      entry.state = 'working';
      this.#schedule(entry);
    }
  }

  /** Resolves when nothing is being worked on. */
  async settled(): Promise<void> {
    while (this.#chains.size > 0) await Promise.all(this.#chains.values());
  }

  #schedule(entry: Entry): void {
    const before = this.#chains.get(entry.conversation) ?? Promise.resolve();
    const chain: Promise<void> = before
      .then(() => this.#work(entry))
      .finally(() => {
        if (this.#chains.get(entry.conversation) === chain) this.#chains.delete(entry.conversation);
      });
    this.#chains.set(entry.conversation, chain);
  }

  async #work(entry: Entry): Promise<void> {
    // With the rest of its album.
    if (entry.state === 'done') return;
    const earlier = this.#entries.find(
      ({ conversation, state }) => conversation === entry.conversation && state !== 'done',
    );
    if (earlier !== entry && typeof earlier?.state === 'object') {
      // It waits behind the one that failed.
      entry.state = earlier.state;
      return;
    }
    const together = entry.album === undefined ? [entry] : await this.#collect(entry.album);
    try {
      await this.#options.handle(together.map(({ update }) => update));
      for (const one of together) one.state = 'done';
      this.#drop();
    } catch (error) {
      entry.failures++;
      entry.state = { retryAt: this.#options.clock.now() + delayAfter(entry.failures, DELAYS) };
      this.#options.onFailure(error);
    }
  }

  /** The parts of an album that came. They are kept together, so that a crash repeats them together. */
  async #collect(album: string): Promise<readonly Entry[]> {
    const { clock, signal } = this.#options;
    const list = () => this.#entries.filter((one) => one.album === album && one.state !== 'done');
    for (let parts = list(); ; ) {
      if (parts.length < LARGEST_ALBUM) await pause(clock, ALBUM_MS, signal);
      const now = list();
      if (now.length === parts.length || signal.aborted) return now.slice(0, LARGEST_ALBUM);
      parts = now;
    }
  }

  #drop(): void {
    while (this.#entries[0]?.state === 'done') this.#last = this.#entries.shift()!.update.update_id;
  }
}
