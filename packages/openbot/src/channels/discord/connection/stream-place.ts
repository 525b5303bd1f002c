import type { ChannelNotes } from '../../contract.ts';
import { type Json, parseObject } from '../../http/hostile-json.ts';
import { readObject } from '../receiving/wire-message.ts';
import { idAt, isId, isNewer } from '../snowflake.ts';

/** A session of the gateway: with it, Discord sends again what came after `sequence`. */
export interface GatewaySession {
  readonly sessionId: string;
  readonly sequence: number;
  readonly resumeURL: string;
}

/** What was seen last before a session was lost. What was said since is read by the API. */
export interface Gap {
  /** By channel. */
  readonly channels: Readonly<Record<string, string>>;
  /** For channels in which nothing was said before. */
  readonly after: string;
}

const NOTE = 'gateway';
const MOST_CHANNELS = 500;
/** What this clock and that of Discord may differ by. */
const CLOCK_MS = 60_000;

/**
 * How far the events of the gateway have been taken, kept in the notes of the account. What is kept never runs ahead of
 * the inbox; it may lag behind, and then Discord repeats what is known by its identity.
 */
export class StreamPlace {
  readonly #notes: ChannelNotes;
  readonly #onTrouble: (error: unknown) => void;
  #session: GatewaySession | undefined;
  #channels: Record<string, string> = {};
  #newest: string | undefined;
  #gap: Gap | undefined;
  #botId: string | undefined;
  #isTroubled = false;
  #isChanged = false;
  #writing: Promise<void> | undefined;

  private constructor(notes: ChannelNotes, onTrouble: (error: unknown) => void) {
    this.#notes = notes;
    this.#onTrouble = onTrouble;
  }

  static async load(notes: ChannelNotes, onTrouble: (error: unknown) => void): Promise<StreamPlace> {
    const place = new StreamPlace(notes, onTrouble);
    place.#take(parseObject((await notes.read(NOTE)) ?? '') ?? {});
    return place;
  }

  #take(note: Json): void {
    const { sessionId, sequence, resumeURL } = readObject(note.session);
    this.#session =
      typeof sessionId === 'string' && typeof sequence === 'number' && typeof resumeURL === 'string'
        ? { sessionId, sequence, resumeURL }
        : undefined;
    this.#botId = isId(note.botId) ? note.botId : undefined;
    this.#channels = readIds(note.channels);
    this.#newest = isId(note.newest) ? note.newest : undefined;
    const { channels, after } = readObject(note.gap);
    this.#gap = isId(after) ? { channels: readIds(channels), after } : undefined;
  }

  /** What another bot has seen is nothing to this one. */
  claim(botId: string): void {
    if (this.#botId === botId) return;
    if (this.#botId !== undefined) this.#take({});
    this.#botId = botId;
    this.#changed();
  }

  get session(): GatewaySession | undefined {
    return this.#session;
  }

  get gap(): Gap | undefined {
    return this.#gap;
  }

  begin({ sessionId, sequence, resumeURL }: GatewaySession, now: number): void {
    // A session in the place of another one: what came between them was told to neither.
    if (this.#session !== undefined) this.lose();
    this.#session = { sessionId, sequence, resumeURL };
    // Nothing was heard yet: a gap would begin here, by the clock of this machine.
    this.#newest ??= idAt(now - CLOCK_MS);
    this.#changed();
  }

  /** The session cannot be resumed. */
  lose(): void {
    this.#session = undefined;
    // One that has not been read yet began earlier.
    if (this.#newest !== undefined) this.#gap ??= { channels: { ...this.#channels }, after: this.#newest };
    this.#changed();
  }

  /** All events up to this one are durable. */
  see(
    sessionId: string,
    sequence: number,
    message?: { readonly channelId: string; readonly id: string },
  ): void {
    if (message !== undefined) this.seeMessage(message);
    if (this.#session?.sessionId === sessionId && sequence > this.#session.sequence) {
      this.#session = { ...this.#session, sequence };
    }
    this.#changed();
  }

  seeMessage({ channelId, id }: { readonly channelId: string; readonly id: string }): void {
    const former = this.#channels[channelId];
    if (former === undefined || isNewer(id, former)) {
      delete this.#channels[channelId];
      this.#channels[channelId] = id;
      const names = Object.keys(this.#channels);
      if (names.length > MOST_CHANNELS) this.#dropOldest();
    }
    if (this.#newest === undefined || isNewer(id, this.#newest)) this.#newest = id;
  }

  #dropOldest(): void {
    const [first, ...rest] = Object.entries(this.#channels);
    if (first === undefined) return;
    const oldest = rest.reduce((a, b) => (isNewer(a[1], b[1]) ? b : a), first);
    delete this.#channels[oldest[0]];
  }

  /** The newest message that is known of a channel. */
  lastIn(channelId: string): string | undefined {
    return this.#channels[channelId];
  }

  closeGap(): void {
    this.#gap = undefined;
    this.#changed();
  }

  /** Resolves when all that was seen is kept, or could not be. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  #changed(): void {
    this.#isChanged = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** One write at a time; what changes meanwhile goes into the next. */
  async #write(): Promise<void> {
    try {
      while (this.#isChanged) {
        // Changes of the same moment are one.
        await Promise.resolve();
        this.#isChanged = false;
        const note = {
          botId: this.#botId,
          session: this.#session,
          channels: this.#channels,
          newest: this.#newest,
          gap: this.#gap,
        };
        await this.#notes.write(NOTE, JSON.stringify(note));
        this.#isTroubled = false;
      }
    } catch (error) {
      if (!this.#isTroubled) this.#onTrouble(error);
      this.#isTroubled = true;
    }
  }
}

function readIds(raw: unknown): Record<string, string> {
  const pairs = Object.entries(readObject(raw)).filter(([channel, id]) => isId(channel) && isId(id));
  return Object.fromEntries(pairs) as Record<string, string>;
}
