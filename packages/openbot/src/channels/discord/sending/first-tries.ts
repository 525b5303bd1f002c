import type { ChannelNotes } from '../../contract.ts';
import { readObject } from '../receiving/wire-message.ts';
import { isId } from '../snowflake.ts';

const NOTE = 'sends';
/** Longer than any reply is tried. */
export const KEPT_MS = 7 * 24 * 60 * 60_000;
const MOST = 1000;

/** A try that may have left a message in the chat. */
export interface FirstTry {
  /** ms, by the clock of this machine. */
  readonly at: number;
  /** A message of the chat from before it, by the clock of Discord. */
  readonly after?: string;
}

/**
 * When each reply that is not known to be sent was tried first. Durable before the try: a reply that is found in the chat
 * and is newer than that was sent by it.
 */
export class FirstTries {
  readonly #notes: ChannelNotes;
  readonly #now: () => number;
  readonly #tries: Promise<Map<string, FirstTry>>;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(notes: ChannelNotes, now: () => number) {
    this.#notes = notes;
    this.#now = now;
    this.#tries = readTries(notes);
    this.#tries.catch(() => {});
  }

  /** An earlier try. Undefined where this is the first. */
  async begin(name: string, after: string | undefined): Promise<FirstTry | undefined> {
    const tries = await this.#tries;
    const former = tries.get(name);
    if (former !== undefined) return former;
    const now = this.#now();
    tries.set(name, { at: now, ...(after !== undefined && { after }) });
    for (const [other, { at }] of tries) if (tries.size > MOST || at < now - KEPT_MS) tries.delete(other);
    const writing = this.#writing
      .catch(() => {})
      .then(() => this.#notes.write(NOTE, JSON.stringify(Object.fromEntries(tries))));
    this.#writing = writing;
    await writing;
    return undefined;
  }

  /** Goes with the next write: one that is kept too long costs a look into the chat, if that. */
  async end(name: string): Promise<void> {
    (await this.#tries).delete(name);
  }
}

async function readTries(notes: ChannelNotes): Promise<Map<string, FirstTry>> {
  const text = await notes.read(NOTE);
  try {
    const all = Object.entries(readObject(JSON.parse(text ?? '{}')));
    return new Map(
      all.flatMap(([name, raw]) => {
        const { at, after } = readObject(raw);
        return typeof at === 'number' ? [[name, { at, ...(isId(after) && { after }) }]] : [];
      }),
    );
  } catch {
    return new Map();
  }
}
