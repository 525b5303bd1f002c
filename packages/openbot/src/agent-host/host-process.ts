import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { removeSpareLocks, reuseLockFiles } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import type { Bot, BotNotice, TurnObserver } from '../bot/contract.ts';
import { openBot } from '../bot/open-bot.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { watchConfig } from '../config/watch-config.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { OutboxMessage } from '../outbox/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { type BotState, openState } from '../state/open-state.ts';
import { ChannelKeeper, describeOpened } from './channel-keeper.ts';
import { channelMedia } from './channel-media.ts';
import type { HostCalls, HostEvent, HostTurn } from './contract.ts';
import { describeUpdate } from './describe-update.ts';
import { openHostSays } from './host-says.ts';
import { freeMemoryWhenIdle } from './idle-memory.ts';
import { BEAT_MS, type CallName, type HostBeat, type ToGateway, type ToHost, writeError } from './ipc.ts';
import { noteHost } from './leftover.ts';
import { WebChannel } from './web-channel.ts';

/** The longest that the process lives on after its gateway. */
const END_MS = 10_000;

/** Runs the agents of a state folder for the gateway that started this process. Resolves when they have been closed. */
export async function runHost(stateDir: string, env: Environment): Promise<void> {
  if (process.send === undefined)
    throw new OpenBotError('USAGE', 'This command is started by the gateway', {
      hint: 'Run: openbot gateway start',
    });
  // Only the gateway ends it: a signal to both would end runs that the gateway still waits for.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  reuseLockFiles();
  const gateway = new GatewayLine();
  try {
    await serve(gateway, stateDir, env);
  } catch (error) {
    gateway.say({ failed: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    await gateway.end();
  }
}

async function serve(gateway: GatewayLine, stateDir: string, env: Environment): Promise<void> {
  // The gateway watches the same files, and says what is wrong with them.
  const watched = await watchConfig(stateDir, env, { report: () => {}, former: await gateway.begin() });
  const { config } = watched;
  const notice = (about: BotNotice['about'], message: string) =>
    gateway.tell({ type: 'notice', notice: { about, message } });
  const state = await openState(stateDir, {
    store: config.session?.store,
    env,
    careReport: (message) => notice('trouble', message),
  });
  await noteHost(stateDir);
  const web = new WebChannel((event) => gateway.tell(event));
  const bot = await openBot({
    stateDir,
    config,
    onConfigChange: watched.onChange,
    env,
    channels: [web],
    state,
    index: true,
    observer: observe((event) => gateway.tell(event)),
    report: ({ about, message }) => notice(about, message),
  });
  const keeper = new ChannelKeeper({
    bot,
    config,
    env,
    stateDir,
    media: channelMedia({ config, stateDir, env }),
    report: notice,
  });
  const stopFollowing = watched.onChange(() => keeper.follow());
  keeper.follow();
  const calls: HostCalls = {
    ...answerCalls(bot, state, web),
    ...openHostSays(bot, (id, news) => gateway.tell({ type: 'saying', id, news })),
    receiveHttp: (account, request) => keeper.receiveHttp(account, request),
  };
  const listChannels = () => [
    describeOpened(bot.channels.find(({ channel }) => channel === web)!),
    ...keeper.list(),
  ];
  const stopBeating = beat(gateway, () => ({
    isIdle: bot.isIdle,
    waits: bot.waits,
    failingSteps: bot.failingSteps,
    channels: listChannels(),
  }));
  gateway.say({ ready: { channels: listChannels() } });
  const { graceMs } = await gateway.serve((name, args) =>
    (calls[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args),
  );
  // A run that does not obey must not keep a process without a gateway.
  const limit = setTimeout(() => process.exit(1), graceMs + END_MS);
  stopFollowing();
  await keeper.end();
  await bot.close({ graceMs });
  watched.close();
  stopBeating();
  clearTimeout(limit);
}

function answerCalls(
  bot: Bot,
  state: BotState,
  web: WebChannel,
): Omit<HostCalls, 'say' | 'tellSay' | 'receiveHttp'> {
  return {
    accept: async (message) => web.accept(message, message.wish && (await bot.wishOf(message, message.wish))),
    abort: (session, how) => bot.abort(session, how),
    withdraw: (identity) => bot.withdraw(identity),
    send: async (message, waitMs) => {
      await state.outbox.put([message]);
      bot.wakeSender();
      return waitForEnd(state, message.key, waitMs);
    },
    addSystemEvent: ({ sessionKey, agentId }, text) => bot.addSystemEvent(sessionKey, text, agentId),
  };
}

async function waitForEnd(
  { outbox }: BotState,
  key: string,
  waitMs: number,
): Promise<Awaited<ReturnType<HostCalls['send']>>> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboxMessage | undefined>();
  const look = (isLast: boolean) =>
    outbox.get(key).then((message) => {
      if (isLast || message?.state === 'sent' || message?.state === 'dead') resolve(message);
    }, reject);
  const stopLooking = outbox.onChange(() => void look(false));
  const timer = setTimeout(() => void look(true), waitMs);
  void look(false);
  try {
    const message = await promise;
    if (message === undefined) throw new Error(`The outbox has no message ${key}`);
    const { error } = message;
    if (message.state === 'sent') return { state: 'sent', sentAt: message.sentAt, ids: message.ids, error };
    if (message.state === 'dead') return { state: 'dead', diedAt: message.diedAt, error };
    const nextTryAt = message.state === 'waiting' ? message.nextTryAt : message.until;
    return { state: 'waiting', nextTryAt, error };
  } finally {
    clearTimeout(timer);
    stopLooking();
  }
}

function observe(tell: (event: HostEvent) => void): TurnObserver {
  return {
    onBegan: ({ agentId, sessionKey, turnId, messages }) =>
      tell({ type: 'began', turn: { agentId, sessionKey, turnId, messages: nameAll(messages) } }),
    onEvent: (turnId, event) => tell({ type: 'event', turnId, event }),
    onEnded: (turnId, end, report) => tell({ type: 'ended', turnId, end, report }),
    onDropped: (messages, reason) => tell({ type: 'dropped', messages: nameAll(messages), reason }),
    onAppended: (update) => {
      const event = describeUpdate(update);
      if (event.entryIds.length > 0) tell(event);
    },
  };
}

function nameAll(messages: readonly InboxMessage[]): HostTurn['messages'] {
  return messages.map(({ identity, seq }) => ({ ...identity, seq }));
}

/** Says twice a second that the loop turns, and how late it was. Keeps the process running. */
function beat(gateway: GatewayLine, describe: () => Omit<HostBeat, 'delayMs'>): () => void {
  let dueAt = performance.now() + BEAT_MS;
  const freeMemory = freeMemoryWhenIdle(removeSpareLocks);
  const timer = setInterval(() => {
    const delayMs = Math.max(0, Math.round(performance.now() - dueAt));
    const state = describe();
    freeMemory(state.isIdle);
    dueAt = performance.now() + BEAT_MS;
    gateway.say({ beat: { delayMs, ...state } });
  }, BEAT_MS);
  return () => clearInterval(timer);
}

/** What a model goes on to say, with what it said just before. Undefined where the second is something else. */
function joinTexts(last: HostEvent | undefined, next: HostEvent): HostEvent | undefined {
  if (last?.type !== 'event' || next.type !== 'event' || last.turnId !== next.turnId) return undefined;
  if (last.event.type !== 'text' || next.event.type !== 'text') return undefined;
  return { ...next, event: { type: 'text', delta: last.event.delta + next.event.delta } };
}

/** How long the gateway may take to read what is told at last. */
const LAST_WORDS_MS = 5000;

/** A write wakes the gateway. ms */
const PAUSE_MS = 5;

/** The connection to the gateway. Events of one moment are written together, and so are those right behind others. */
class GatewayLine {
  #events: HostEvent[] = [];
  /** What the gateway has not read yet. A connection that is closed takes it along. */
  readonly #writing = new Set<Promise<void>>();
  #isPlanned = false;
  #nextAt = 0;
  /** Sessions whose client waits for the answer to a message, with what is told of them meanwhile. */
  readonly #answering = new Map<string, { calls: number; readonly held: HostEvent[] }>();
  /** By the id of a turn. */
  readonly #sessions = new Map<string, string>();

  say(message: ToGateway): void {
    this.#flush();
    this.#write(message);
  }

  #write(message: ToGateway): void {
    if (!process.connected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#writing.add(promise);
    // The gateway may be gone; `serve` hears of it.
    process.send?.(message, undefined, undefined, () => {
      this.#writing.delete(promise);
      resolve();
    });
  }

  tell(event: HostEvent): void {
    const session = this.#sessionOf(event);
    const answering = session === undefined ? undefined : this.#answering.get(session);
    if (answering !== undefined) {
      answering.held.push(event);
      return;
    }
    const joined = joinTexts(this.#events.at(-1), event);
    if (joined === undefined) this.#events.push(event);
    else this.#events[this.#events.length - 1] = joined;
    this.#plan();
  }

  #sessionOf(event: HostEvent): string | undefined {
    if (event.type === 'began') {
      const session = addressOf(event.turn);
      this.#sessions.set(event.turn.turnId, session);
      return session;
    }
    if (event.type === 'appended') return addressOf(event.session);
    if (event.type !== 'event' && event.type !== 'ended') return undefined;
    const session = this.#sessions.get(event.turnId);
    if (event.type === 'ended') this.#sessions.delete(event.turnId);
    return session;
  }

  /** The run of a message is told behind the answer to the client that sent it. Returns what lets it be told. */
  #holdBack(session: SessionRef): () => void {
    const address = addressOf(session);
    const answering = this.#answering.get(address) ?? { calls: 0, held: [] };
    answering.calls++;
    this.#answering.set(address, answering);
    return () => {
      answering.calls--;
      if (answering.calls > 0) return;
      this.#answering.delete(address);
      if (answering.held.length === 0) return;
      this.#events.push(...answering.held);
      this.#plan();
    };
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const pauseMs = this.#nextAt - performance.now();
    if (pauseMs <= 0) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), pauseMs);
  }

  /** The configuration that the gateway has. */
  begin(): Promise<LoadedConfig | undefined> {
    return new Promise((resolve) => {
      process.once('disconnect', () => resolve(undefined));
      if (!process.connected) resolve(undefined);
      process.once('message', (message: ToHost) =>
        resolve('begin' in message ? message.begin.former : undefined),
      );
    });
  }

  /** Answers calls until the gateway closes the host, or is gone. */
  serve(
    answer: (name: CallName, args: readonly unknown[]) => Promise<unknown>,
  ): Promise<{ graceMs: number }> {
    return new Promise((resolve) => {
      process.once('disconnect', () => resolve({ graceMs: 0 }));
      if (!process.connected) resolve({ graceMs: 0 });
      process.on('message', (message: ToHost) => {
        if ('begin' in message) return;
        if ('close' in message) return resolve(message.close);
        const { call, name, args } = message;
        const letGo = name === 'accept' ? this.#holdBack(args[0] as SessionRef) : undefined;
        answer(name, args)
          .then(
            (value) => this.say({ result: call, value: value ?? null }),
            (error: unknown) => this.say({ result: call, error: writeError(error) }),
          )
          .finally(letGo);
      });
    });
  }

  async end(): Promise<void> {
    this.#flush();
    await Promise.race([Promise.all(this.#writing), sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    if (process.connected) process.disconnect();
  }

  #flush(): void {
    this.#isPlanned = false;
    if (this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    this.#nextAt = performance.now() + PAUSE_MS;
    this.#write({ events });
  }
}
