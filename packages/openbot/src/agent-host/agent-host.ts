import type { ChildProcess } from 'node:child_process';
import type { Environment } from '@openbot/sessions/layout';
import { listChannelAccounts } from '../channels/accounts.ts';
import { delayAfter } from '../clock.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { listHeartbeats } from '../config/heartbeats.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { Inbox } from '../inbox/contract.ts';
import { Listeners } from '../listeners.ts';
import { HostCallQueue } from './call-queue.ts';
import type {
  AgentHost,
  ChannelState,
  HostCalls,
  HostEvent,
  HostPhase,
  HostStatus,
  HostTurn,
} from './contract.ts';
import { InTurn, untilDisconnected } from './in-turn.ts';
import type { HostBeat, ToGateway, ToHost } from './ipc.ts';
import { endLeftover } from './leftover.ts';
import { NoticeLog } from './notice-log.ts';
import { startProcess } from './start-process.ts';
import { Watchdog } from './watchdog.ts';

export interface AgentHostOptions {
  /** Absolute. */
  readonly stateDir: string;
  readonly env: Environment;
  /** Always the present one. */
  readonly config: BotConfig;
  /** As it was read last without faults: what a process begins with where the file has become wrong. */
  loaded?(): LoadedConfig;
  readonly inbox: Pick<Inbox, 'waitingSessions'>;
  /** For the owner of the gateway. */
  log(line: string): void;
  readonly limits?: Partial<HostLimits>;
}

/** ms */
export interface HostLimits {
  /** Without a beat for so long, it counts as blocked. */
  readonly blockedMs: number;
  /** Without a beat for so long, it is killed and begun again. */
  readonly killMs: number;
  /** A call that has no answer by then fails. */
  readonly callMs: number;
  /** A host with nothing to do that nothing needs ends after so long. */
  readonly restMs: number;
  /** How often one that rests is looked after: another process may have left messages. */
  readonly sweepMs: number;
  readonly restart: { readonly firstMs: number; readonly mostMs: number };
}

const LIMITS: HostLimits = {
  blockedMs: 5000,
  killMs: 60_000,
  callMs: 15_000,
  restMs: 120_000,
  sweepMs: 30_000,
  restart: { firstMs: 200, mostMs: 30_000 },
};

/** A process that ran for so long did not fail because of how it was started. ms */
const STABLE_MS = 60_000;

/** How long a process that was told to close may take beside the grace of its runs. ms */
const CLOSE_MS = 12_000;

export function openAgentHost(options: AgentHostOptions): AgentHost {
  return new HostKeeper(options);
}

/** Keeps one process running, or none while none is needed. */
class HostKeeper implements AgentHost {
  readonly turns = new Map<string, HostTurn>();
  readonly calls: HostCalls;
  readonly #options: AgentHostOptions;
  readonly #limits: HostLimits;
  readonly #queue: HostCallQueue;
  readonly #notices: NoticeLog;
  readonly #events = new Listeners<HostEvent>('of the agent host');
  readonly #statuses = new Listeners<HostStatus>('of the status of the agent host');
  readonly #sweep: NodeJS.Timeout;
  readonly #decided: Promise<void>;
  #phase: HostPhase = { at: 'resting' };
  /** When the process has ended, and all that it said has been heard. */
  #ended: Promise<void> = Promise.resolve();
  /** When it is known whether it could be started. */
  #started: Promise<void> = Promise.resolve();
  #isClosing = false;
  #crashes = 0;
  /** In a row. */
  #failures = 0;
  #delayMs: number | undefined;
  #channels: readonly ChannelState[] = [];
  #waits: HostStatus['waits'] = [];
  #failingSteps: HostStatus['failingSteps'] = [];
  #child: ChildProcess | undefined;
  #retry: NodeJS.Timeout | undefined;
  #idleSince: number | undefined;
  /** The process was told to end. */
  #isRetiring = false;
  #reason: string | undefined;

  constructor(options: AgentHostOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#notices = new NoticeLog((line) => options.log(line));
    this.#queue = new HostCallQueue(this.#limits.callMs, {
      send: (message) => this.#send(message),
      trouble: () => ('reason' in this.#phase ? this.#phase.reason : undefined),
    });
    const calls = this.#queue.makeCalls(() => this.warm());
    // A process that rests runs nothing, and need not be started to say so.
    this.calls = {
      ...calls,
      abort: async (...given) => this.#phase.at !== 'resting' && calls.abort(...given),
    };
    void endLeftover(options.stateDir).catch(() => {});
    this.#decided = this.#startIfNeeded();
    this.#sweep = setInterval(() => void this.#startIfNeeded(), this.#limits.sweepMs).unref();
  }

  get status(): HostStatus {
    const delayMs = this.#delayMs;
    const channels = this.#channels;
    return {
      phase: this.#phase,
      crashes: this.#crashes,
      channels,
      waits: this.#waits,
      failingSteps: this.#failingSteps,
      ...(delayMs !== undefined && { delayMs }),
    };
  }

  onEvent(listener: (event: HostEvent) => void): () => void {
    return this.#events.add(listener);
  }

  onStatus(listener: (status: HostStatus) => void): () => void {
    return this.#statuses.add(listener);
  }

  async ready(): Promise<void> {
    await this.#decided;
    if (this.#isReady()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const forget = this.onStatus(({ phase }) => {
      if (phase.at === 'closed') reject(unavailable('it is closed'));
      else if (this.#isReady()) resolve();
    });
    await promise.finally(forget);
  }

  warm(): void {
    if (this.#phase.at === 'resting' && !this.#isClosing) this.#start();
    this.#idleSince = undefined;
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#retry);
    this.#queue.refuseAll(unavailable('the gateway stops'));
    await this.#started;
    const child = this.#child;
    if (child !== undefined) {
      this.#isRetiring = true;
      this.#send({ close: { graceMs } });
      const limit = setTimeout(() => child.kill('SIGKILL'), graceMs + CLOSE_MS);
      await this.#ended;
      clearTimeout(limit);
    }
    this.#setPhase({ at: 'closed' });
    this.#notices.end();
    this.#events.end();
    this.#statuses.end();
  }

  #isReady(): boolean {
    return this.#phase.at === 'up' || this.#phase.at === 'resting';
  }

  /** Something must run although no client asks: a channel, a heartbeat, a message that waits. */
  async #startIfNeeded(): Promise<void> {
    const { inbox, log } = this.#options;
    try {
      if (this.#phase.at !== 'resting') return;
      if (this.#isNeeded() || (await inbox.waitingSessions()).length > 0) this.warm();
    } catch (error) {
      log(`Cannot look for waiting messages: ${String(error)}`);
    }
  }

  #isNeeded(): boolean {
    try {
      const accounts = listChannelAccounts(this.#options.config);
      const hasChannel = accounts.some(({ isEnabled, hasDriver }) => isEnabled && hasDriver);
      return hasChannel || listHeartbeats(this.#options).length > 0;
    } catch {
      // The host reports what is wrong with a setting.
      return true;
    }
  }

  /** @param reason why it ended, when it is begun again */
  #start(reason?: string): void {
    this.#setPhase({ at: 'starting', ...(reason !== undefined && { reason }) });
    this.#isRetiring = false;
    this.#reason = undefined;
    this.#idleSince = undefined;
    const startedAt = Date.now();
    this.#started = startProcess('agent-host', this.#options).then(
      (child) => this.#attend(child, startedAt),
      (error: Error) => this.#planRestart(`it cannot be started: ${error.message}`, startedAt),
    );
  }

  #attend(child: ChildProcess, startedAt: number): void {
    this.#child = child;
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    child.send({ begin: { former: this.#options.loaded?.() } } satisfies ToHost, () => {});
    const watchdog = new Watchdog((silentMs) => this.#onSilence(child, silentMs));
    const messages = new InTurn<ToGateway>((message) => this.#hear(child, message));
    child.on('message', (message: ToGateway) => {
      watchdog.hear();
      messages.add(message);
    });
    child.once('exit', async (code, signal) => {
      await untilDisconnected(child);
      child.removeAllListeners('message');
      messages.finish();
      this.#onEnd(child, watchdog, this.#reason ?? `it ended with ${signal ?? `code ${code}`}`, startedAt);
      ended.resolve();
    });
  }

  #hear(child: ChildProcess, message: ToGateway): void {
    if ('events' in message) for (const event of message.events) this.#onHostEvent(event);
    else if ('result' in message) this.#queue.settle(message);
    else if ('beat' in message) this.#onBeat(child, message.beat);
    else if ('failed' in message) this.#reason = message.failed;
    else {
      this.#channels = message.ready.channels;
      this.#setPhase({ at: 'up', pid: child.pid!, sinceMs: Date.now() });
      this.#queue.sendAll();
    }
  }

  #onHostEvent(event: HostEvent): void {
    if (event.type === 'notice') this.#notices.write(event.notice.message);
    if (event.type === 'began') this.turns.set(event.turn.turnId, event.turn);
    this.#events.call(event);
    if (event.type === 'ended') this.turns.delete(event.turnId);
  }

  #onBeat(child: ChildProcess, { delayMs, isIdle, channels, waits, failingSteps }: HostBeat): void {
    this.#delayMs = delayMs;
    this.#channels = channels;
    this.#waits = waits;
    this.#failingSteps = failingSteps;
    if (this.#phase.at === 'blocked') this.#setPhase({ at: 'up', pid: child.pid!, sinceMs: Date.now() });
    if (!isIdle || this.#queue.isBusy || this.#isNeeded()) this.#idleSince = undefined;
    else this.#idleSince ??= performance.now();
    if (this.#idleSince === undefined || performance.now() - this.#idleSince < this.#limits.restMs) return;
    if (this.#isRetiring) return;
    this.#isRetiring = true;
    this.#send({ close: { graceMs: 0 } });
  }

  #onSilence(child: ChildProcess, silentMs: number): void {
    const { blockedMs, killMs } = this.#limits;
    if (this.#phase.at === 'up' && silentMs >= blockedMs)
      this.#setPhase({ at: 'blocked', pid: child.pid!, sinceMs: Date.now() - silentMs });
    if (silentMs < killMs) return;
    this.#reason = `it did not answer for ${Math.round(silentMs / 1000)} s and was ended`;
    child.kill('SIGKILL');
  }

  #onEnd(child: ChildProcess, watchdog: Watchdog, reason: string, startedAt: number): void {
    watchdog.stop();
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#delayMs = undefined;
    this.#channels = [];
    this.#waits = [];
    this.#failingSteps = [];
    const isAsked = this.#isRetiring;
    for (const { turnId } of [...this.turns.values()])
      this.#onHostEvent({ type: 'ended', turnId, end: 'later', report: reportOfEnd(reason) });
    if (!isAsked) {
      this.#planRestart(reason, startedAt);
      return;
    }
    if (this.#isClosing) return;
    this.#setPhase({ at: 'resting' });
    if (this.#queue.isBusy) this.#start();
  }

  #planRestart(reason: string, startedAt: number): void {
    if (this.#isClosing) return;
    this.#crashes++;
    this.#failures = Date.now() - startedAt > STABLE_MS ? 1 : this.#failures + 1;
    const waitMs = delayAfter(this.#failures, this.#limits.restart);
    this.#options.log(`The process of the agents is begun again: ${reason}`);
    this.#setPhase({ at: 'down', reason, retryAtMs: Date.now() + waitMs });
    this.#retry = setTimeout(() => this.#start(reason), waitMs);
  }

  #send(message: ToHost): boolean {
    const child = this.#child;
    if (child === undefined || !child.connected) return false;
    if ('call' in message && (this.#phase.at === 'starting' || this.#isRetiring)) return false;
    child.send(message, () => {});
    return true;
  }

  #setPhase(phase: HostPhase): void {
    this.#phase = phase;
    this.#statuses.call(this.status);
  }
}

function unavailable(why: string) {
  return refuse('UNAVAILABLE', `the agents are not available: ${why}`, { retryable: true });
}

function reportOfEnd(reason: string) {
  const nothing = { sessionId: '', provider: '', model: '', payloads: [], compactions: 0 };
  return {
    ...nothing,
    outcome: 'failed',
    error: { message: `The process of the agents: ${reason}` },
  } as const;
}
