import { randomUUID } from 'node:crypto';
import type { AgentHostOptions } from '../../src/agent-host/agent-host.ts';
import type { AgentHost } from '../../src/agent-host/contract.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { AGENT_METHODS } from '../../src/gateway-methods/agent.ts';
import { CHAT_METHODS } from '../../src/gateway-methods/chat.ts';
import { COMMAND_METHODS } from '../../src/gateway-methods/commands/all.ts';
import { followRuns } from '../../src/gateway-methods/events/follow-runs.ts';
import { openRows } from '../../src/gateway-methods/rows/rows.ts';
import { openRuns } from '../../src/gateway-methods/runs/runs.ts';
import type { GatewayServices } from '../../src/gateway-methods/services.ts';
import { SESSION_CHANGE_METHODS } from '../../src/gateway-methods/sessions/changes.ts';
import { SESSION_RUN_METHODS } from '../../src/gateway-methods/sessions/session-runs.ts';
import type { EventHub, GatewayEvent } from '../../src/gateway-protocol/gateway-event.ts';
import type { Caller } from '../../src/gateway-protocol/method.ts';
import { checkParams } from '../../src/gateway-protocol/param-shapes.ts';
import { toWireError, type WireError } from '../../src/gateway-protocol/wire-errors.ts';
import { openWorker } from '../../src/gateway-worker/worker.ts';
import { addressOf } from '../../src/session-address.ts';
import { HostPlace } from '../agent-host/host-place.ts';

const METHODS = new Map(
  [
    ...CHAT_METHODS,
    ...AGENT_METHODS,
    ...SESSION_RUN_METHODS,
    ...SESSION_CHANGE_METHODS,
    ...COMMAND_METHODS,
  ].map((method) => [method.name, method]),
);

export type Fields = Readonly<Record<string, unknown>>;

/** An event, or a response among them: `res chat.send`. */
export interface Heard {
  readonly event: string;
  readonly payload: Fields;
  readonly audience?: GatewayEvent['audience'];
  readonly cap?: string;
}

/** The methods and events of runs as a gateway puts them together, without connections. */
export class RunsPlace {
  readonly place: HostPlace;
  readonly heard: Heard[] = [];
  readonly #waiting: (() => void)[] = [];
  #services: GatewayServices | undefined;
  #close: ((graceMs: number) => Promise<void>) | undefined;

  constructor(config: BotConfig = {}, place = new HostPlace(config)) {
    this.place = place;
  }

  get services(): GatewayServices {
    return this.#services!;
  }

  get host(): AgentHost {
    return this.services.host;
  }

  async open(limits?: AgentHostOptions['limits']): Promise<this> {
    const { stateDir, config } = this.place;
    const state = await this.place.state();
    const host = await this.place.open(limits);
    const runs = openRuns({ host, state, config, now: Date.now });
    const services: GatewayServices = {
      stateDir,
      env: {},
      config,
      configPath: `${stateDir}/openbot.json`,
      state,
      worker: openWorker({ stateDir, env: {}, log: () => {} }),
      host,
      hub: this.#hub(),
      runs,
      rows: openRows({ stateDir, config, state, runs, now: Date.now }),
      startedAt: Date.now(),
      now: Date.now,
      presence: () => [],
      eventLoop: { read: () => ({ delayP99Ms: 0, delayMaxMs: 0 }) },
    };
    this.#services = services;
    const unfollow = followRuns(services);
    this.#close = async (graceMs) => {
      await host.close(graceMs);
      await unfollow();
      runs.close();
    };
    return this;
  }

  /** As a gateway that stops. */
  async close(graceMs = 0): Promise<void> {
    await this.#close?.(graceMs);
  }

  async call(method: string, params: Fields, caller: Partial<Caller> = {}): Promise<Fields> {
    const { params: shape, handle } = METHODS.get(method)!;
    const respondFirst = (payload: unknown) =>
      this.#hear({ event: `first ${method}`, payload: payload as Fields });
    const given = checkParams(method, shape, params) as never;
    const signal = AbortSignal.timeout(100_000);
    const call = { caller: { ...OWNER, ...caller }, services: this.services, respondFirst, signal };
    const payload = (await handle(given, call)) as Fields;
    this.#hear({ event: `res ${method}`, payload });
    return payload;
  }

  async refusal(method: string, params: Fields, caller: Partial<Caller> = {}): Promise<WireError> {
    return this.call(method, params, caller).then(
      () => {
        throw new Error(`${method} was not refused`);
      },
      (error: unknown) => toWireError(error),
    );
  }

  send(message: string, more: Fields = {}): Promise<Fields> {
    return this.call('chat.send', { sessionKey: 'main', message, idempotencyKey: randomUUID(), ...more });
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async untilEvent(event: string, fields: Fields): Promise<Heard> {
    const find = () =>
      this.heard.find(
        (one) =>
          one.event === event && Object.entries(fields).every(([name, value]) => one.payload[name] === value),
      );
    await this.until(() => find() !== undefined);
    return find()!;
  }

  /** Names of what was heard of a run, such as `chat delta` and `agent lifecycle start`. */
  names(): string[] {
    return this.heard.map(nameOf);
  }

  #hub(): EventHub {
    return {
      publish: ({ event, payload, audience, cap }) =>
        this.#hear({ event, payload: JSON.parse(JSON.stringify(payload)), audience, cap }),
      hasListener: () => true,
    };
  }

  #hear(heard: Heard): void {
    this.heard.push(heard);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const OWNER: Caller = {
  connId: 'c1',
  scopes: new Set(['operator.admin']),
  mayCommand: true,
  client: { id: 'cli', mode: 'cli' },
  caps: new Set(),
};

export function nameOf({ event, payload }: Pick<Heard, 'event' | 'payload'>): string {
  const { state, stream, data, reason, phase, message } = payload;
  if (event === 'chat') return `chat ${state}`;
  if (event === 'agent') {
    const at = (data as Fields).phase;
    return `agent ${stream}${at === undefined ? '' : ` ${at}`}`;
  }
  if (event === 'sessions.changed') return `sessions.changed ${reason ?? phase}`;
  if (event === 'session.message') return `session.message ${(message as Fields).role}`;
  return event;
}

export { addressOf };
