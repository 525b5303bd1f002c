import { setImmediate } from 'node:timers/promises';
import type { SessionInfo } from '@discordjs/ws';
import type { ChannelHealth } from '../../contract.ts';
import type { DiscordApi } from '../discord-api.ts';
import { readObject } from '../receiving/wire-message.ts';
import { describeError, isUnauthorized, waitOf } from '../sending/send-errors.ts';
import type { Timing } from '../timing.ts';
import { type ConnectionEnd, OneConnection, RESUMABLE_CLOSE } from './one-connection.ts';
import type { StreamPlace } from './stream-place.ts';

export interface Dispatch {
  readonly event: string;
  readonly sequence: number;
  /** Of the session that it was told to. */
  readonly sessionId: string;
  readonly data: unknown;
}

export interface LinkParts {
  readonly api: DiscordApi;
  readonly token: string;
  readonly place: StreamPlace;
  readonly timing: Timing;
  onDispatch(event: Dispatch): void;
  /** A connection has ended: what was told on it and not handled is told again. */
  onEnd(): void;
}

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** Connected for so long, it counts as good again. */
const STEADY_MS = 30_000;
/** Discord allows one new session in five seconds. */
const IDENTIFY_MS = 5000;
/** From the beginning of a connection to READY or RESUMED. */
const CONNECT_MS = 60_000;
const CLOSE_MS = 2000;
/** Whether the person has done it: a switch on a page of Discord tells us nothing. */
const MENDED_PAUSE_MS = 300_000;

/** Closed for a reason that only a person can remove. */
export const FATAL: Readonly<Record<number, string>> = {
  4004: 'Discord does not accept the token. Copy it again from the Bot page of https://discord.com/developers/applications into channels.discord.token.',
  4010: 'Discord says that the shard is invalid.',
  4011: 'The bot is in too many servers for one connection (sharding is required), which OpenBot does not support.',
  4012: 'Discord no longer has the version of its API that OpenBot uses.',
  4013: 'Discord says that the intents are invalid.',
  4014: 'Discord does not let the bot read messages. Switch on “Message Content Intent” on the Bot page of https://discord.com/developers/applications.',
};

type Outcome =
  | { readonly is: 'ended'; readonly error: string; readonly pauseMs?: number }
  /** Health says so until a person has mended it. */
  | { readonly is: 'fatal'; readonly error: string };

/** Keeps one connection to the gateway alive, and says truly how it is. */
export class GatewayLink {
  readonly #parts: LinkParts;
  readonly #stop = new AbortController();
  #health: ChannelHealth = { state: 'starting' };
  #connection: OneConnection | undefined;
  #running: Promise<void> | undefined;
  #identifiedAt = Number.NEGATIVE_INFINITY;
  /** Why this side ended the connection. */
  #reason: string | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  health(): ChannelHealth {
    return this.#health;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the connection, so that Discord tells again what was not seen. */
  again(reason: string): void {
    this.#reason = reason;
    void this.#connection?.destroy({ code: RESUMABLE_CLOSE });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    // A connection that has just begun has no socket before this.
    await setImmediate();
    const closing = this.#connection?.destroy({ code: RESUMABLE_CLOSE });
    const enough = new AbortController();
    await Promise.race([closing, closing && realWait(CLOSE_MS, enough.signal)]);
    enough.abort();
    await this.#running;
    this.#health = { state: 'stopped' };
  }

  async #run(): Promise<void> {
    const { timing } = this.#parts;
    let failures = 0;
    let misses = 0;
    while (!this.#stop.signal.aborted) {
      const outcome = await this.#connect(misses);
      if (this.#stop.signal.aborted) return;
      const connectedFor = this.#health.state === 'connected' ? timing.now() - this.#health.since : 0;
      if (connectedFor >= STEADY_MS) failures = 0;
      misses = this.#health.state === 'connected' ? 0 : misses + 1;
      const since = 'error' in this.#health ? this.#health.since : timing.now();
      if (outcome.is === 'fatal') {
        this.#health = { state: 'failed', since, error: outcome.error };
        await timing.wait(MENDED_PAUSE_MS, this.#stop.signal);
        continue;
      }
      const pause = Math.max(outcome.pauseMs ?? 0, pauseAfter(failures));
      failures++;
      this.#health = { state: 'reconnecting', since, error: outcome.error, nextTryAt: timing.now() + pause };
      await timing.wait(pause, this.#stop.signal);
    }
  }

  /** Resolves when the connection has ended. */
  async #connect(misses: number): Promise<Outcome> {
    const { api, place } = this.#parts;
    let url: string;
    try {
      place.claim((await api.self(this.#stop.signal)).id);
      // The address for resuming may be dead while the general one is not.
      const resumeUrl = misses % 2 === 0 ? place.session?.resumeURL : undefined;
      if (resumeUrl !== undefined && isSocketUrl(resumeUrl)) url = resumeUrl;
      else {
        const gateway = await this.#findGateway();
        if (typeof gateway !== 'string') return gateway;
        url = gateway;
      }
    } catch (error) {
      if (isUnauthorized(error)) return { is: 'fatal', error: FATAL[4004] ?? '' };
      return {
        is: 'ended',
        error: `Discord cannot be reached: ${describeError(error)}`,
        pauseMs: waitOf(error),
      };
    }
    if (this.#stop.signal.aborted) return { is: 'ended', error: '' };
    return this.#open(url);
  }

  async #findGateway(): Promise<string | Outcome> {
    const { api, place } = this.#parts;
    const { url, session_start_limit } = readObject(
      await api.call('GET', '/gateway/bot', { signal: this.#stop.signal }),
    );
    if (typeof url !== 'string' || !isSocketUrl(url))
      return { is: 'ended', error: 'Discord names no gateway.' };
    const { remaining, reset_after } = readObject(session_start_limit);
    if (place.session === undefined && remaining === 0) {
      // Discord resets the token of a bot that goes on.
      return {
        is: 'ended',
        error: 'The bot has begun too many sessions today.',
        pauseMs: typeof reset_after === 'number' ? reset_after : LONGEST_PAUSE_MS,
      };
    }
    return url;
  }

  #open(url: string): Promise<Outcome> {
    const { place, onDispatch, onEnd, timing } = this.#parts;
    return new Promise((resolve) => {
      let lastError: string | undefined;
      this.#reason = undefined;
      const watch = setTimeout(() => this.again('Discord did not answer.'), CONNECT_MS);
      const onClose = ({ code, isSessionLost }: ConnectionEnd) => {
        clearTimeout(watch);
        this.#connection = undefined;
        if (isSessionLost) place.lose();
        onEnd();
        const fatal = code === undefined ? undefined : FATAL[code];
        if (fatal !== undefined) resolve({ is: 'fatal', error: fatal });
        else resolve({ is: 'ended', error: this.#reason ?? lastError ?? describeEnd(code, isSessionLost) });
      };
      const connection = new OneConnection(this.#strategy(url), onClose);
      const onConnected = () => {
        clearTimeout(watch);
        this.#health = { state: 'connected', since: timing.now() };
      };
      connection.on('ready', onConnected);
      connection.on('resumed', onConnected);
      connection.on('socketError', (error) => {
        lastError = `The connection to Discord failed: ${describeError(error)}`;
      });
      connection.on('error', () => {});
      connection.on('dispatch', ({ t, s, d }) => {
        const { session } = place;
        if (session === undefined || this.#connection !== connection) return;
        onDispatch({ event: t, sequence: s, sessionId: session.sessionId, data: d });
      });
      this.#connection = connection;
      connection.connect().catch(() => {});
    });
  }

  #strategy(url: string): ConstructorParameters<typeof OneConnection>[0] {
    const { token, place, timing } = this.#parts;
    const device = 'openbot';
    return {
      options: {
        compression: null,
        encoding: 'json' as never,
        gatewayInformation: { url } as never,
        handshakeTimeout: 30_000,
        helloTimeout: 30_000,
        identifyProperties: { browser: device, device, os: process.platform },
        initialPresence: null,
        intents: INTENTS,
        largeThreshold: null,
        readyTimeout: 30_000,
        shardCount: 1,
        token,
        useIdentifyCompression: false,
        version: '10',
      },
      retrieveSessionInfo: () =>
        place.session === undefined ? null : { ...place.session, resumeURL: url, shardId: 0, shardCount: 1 },
      // How far a session has come is told by the handler of its events.
      updateSessionInfo: (_, info: SessionInfo | null) => {
        if (info !== null && info.sessionId !== place.session?.sessionId) place.begin(info, timing.now());
      },
      waitForIdentify: (_, signal) => this.#waitForIdentify(signal),
    };
  }

  async #waitForIdentify(signal: AbortSignal): Promise<void> {
    const { timing } = this.#parts;
    const left = this.#identifiedAt + IDENTIFY_MS - timing.now();
    if (left > 0) await timing.wait(left, AbortSignal.any([signal, this.#stop.signal]));
    signal.throwIfAborted();
    this.#identifiedAt = timing.now();
  }
}

function isSocketUrl(url: string): boolean {
  return URL.canParse(url) && /^wss?:$/.test(new URL(url).protocol);
}

/** With chance in it, so that not all bots of the world come back in the same moment. */
function pauseAfter(failures: number): number {
  return (
    Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10)) * (0.75 + Math.random() / 2)
  );
}

function describeEnd(code: number | undefined, isSessionLost: boolean): string {
  if (isSessionLost) return 'Discord does not know the session any more.';
  return code === undefined ? 'Discord asked to connect again.' : `Discord closed the connection (${code}).`;
}

function realWait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
