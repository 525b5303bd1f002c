import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { describeOpened } from '../../src/agent-host/channel-keeper.ts';
import type { AgentHost, HostTurn } from '../../src/agent-host/contract.ts';
import type { Bot } from '../../src/bot/contract.ts';
import { openBot } from '../../src/bot/open-bot.ts';
import type { Channel } from '../../src/channels/contract.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { ALL_METHODS } from '../../src/gateway-methods/all.ts';
import { openRows } from '../../src/gateway-methods/rows/rows.ts';
import type { GatewayRun, GatewayRuns, RunEnding, RunRef } from '../../src/gateway-methods/runs/contract.ts';
import type { GatewayServices } from '../../src/gateway-methods/services.ts';
import type { GatewayEvent } from '../../src/gateway-protocol/gateway-event.ts';
import type { Caller } from '../../src/gateway-protocol/method.ts';
import { checkParams } from '../../src/gateway-protocol/param-shapes.ts';
import { toWireError, type WireError } from '../../src/gateway-protocol/wire-errors.ts';
import { TASKS } from '../../src/gateway-worker/tasks.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { SessionRef } from '../../src/session-address.ts';
import { type BotState, openState } from '../../src/state/open-state.ts';
import { asAnswer, PARROT, type Play } from '../bot/bot-home.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

export interface HomeOptions {
  readonly config?: BotConfig;
  readonly play?: Play;
  readonly channels?: readonly Channel[];
  readonly logPath?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each test says what it expects of an answer.
export type Json = any;

export type Answer =
  | { readonly ok: true; readonly payload: Json }
  | { readonly ok: false; readonly error: WireError };

/** The services of a gateway over a state folder, with a bot of the same process as its host. */
export class MethodsHome {
  readonly stateDir: string;
  readonly events: GatewayEvent[] = [];
  readonly subscribed: string[] = [];
  readonly config: BotConfig;
  readonly services: GatewayServices;
  readonly bot: Bot;
  /** Of the bot. Without it, its runs are those of a process that the gateway did not start. */
  hostPid: number | undefined = process.pid;
  /** ms */
  time: number | undefined;

  static async open(options: HomeOptions = {}): Promise<MethodsHome> {
    const stateDir = join(makeTempFolder(), 'state');
    const config = options.config ?? {};
    const script = { contextWindow: 200_000, answer: asAnswer(options.play ?? PARROT) };
    const bot = await openBot({
      stateDir,
      config,
      env: {},
      channels: options.channels,
      report: () => {},
      runners: { script: makeScriptRunner({ script }) },
    });
    const state = await openState(stateDir, { store: config.session?.store });
    const home = new MethodsHome(stateDir, config, bot, state, options);
    afterTest(async () => {
      await bot.close();
      await state.close();
    });
    return home;
  }

  private constructor(stateDir: string, config: BotConfig, bot: Bot, state: BotState, options: HomeOptions) {
    this.stateDir = stateDir;
    this.config = config;
    this.bot = bot;
    const runs = new TestRuns();
    const now = () => this.time ?? Date.now();
    this.services = {
      stateDir,
      env: {},
      config,
      configPath: join(stateDir, 'openbot.json'),
      state,
      // In this process; a test of the whole gateway has the other one.
      worker: {
        run: async (name, given, by) => {
          const { signal } = by ?? new AbortController();
          return TASKS[name](given as never, { stateDir, env: {}, signal }) as never;
        },
      },
      host: makeHost(bot, state, runs, options.channels ?? []),
      hub: { publish: (event) => void this.events.push(event), hasListener: () => true },
      runs,
      rows: openRows({ stateDir, config, state, runs, hostPid: () => this.hostPid, now }),
      logPath: options.logPath,
      startedAt: now(),
      now,
      presence: () => [{ mode: 'gateway', reason: 'self' }],
      eventLoop: { read: () => ({ delayP99Ms: 0, delayMaxMs: 0 }) },
    };
  }

  /** As the server calls a method: its params are checked, and what it throws is told in words of the wire. */
  async call(name: string, params: unknown = {}, caller: Partial<Caller> = {}): Promise<Answer> {
    const method = ALL_METHODS.find((one) => one.name === name)!;
    try {
      const checked = checkParams(name, method.params, params) as never;
      const payload = await method.handle(checked, {
        caller: { ...this.caller(), ...caller },
        services: this.services,
        respondFirst: () => {},
        signal: new AbortController().signal,
      });
      // As it comes out of a frame.
      return { ok: true, payload: JSON.parse(JSON.stringify(payload ?? null)) };
    } catch (error) {
      const wire = toWireError(error, { isBound: caller.agentIds !== undefined });
      if (wire.message === 'internal error') throw error;
      return { ok: false, error: wire };
    }
  }

  /** The result; a refusal fails the test. */
  async ask(name: string, params?: unknown, caller?: Partial<Caller>): Promise<Json> {
    const answer = await this.call(name, params, caller);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
    return answer.payload;
  }

  /** What a refused request is told. */
  async refusal(name: string, params?: unknown, caller?: Partial<Caller>): Promise<WireError> {
    const answer = await this.call(name, params, caller);
    if (answer.ok) throw new Error(`${name} answered ${JSON.stringify(answer.payload)}`);
    return answer.error;
  }

  caller(): Caller {
    return {
      connId: 'test',
      scopes: new Set(['operator.admin']),
      mayCommand: true,
      client: { id: 'cli', mode: 'cli' },
      caps: new Set(),
      subscriptions: {
        addSessions: () => this.subscribed.push('sessions'),
        addMessages: (address) => this.subscribed.push(address),
        removeMessages: (address) => void this.subscribed.splice(this.subscribed.indexOf(address), 1),
      },
    };
  }

  say(message: string, sessionKey = 'agent:main:main', agentId?: string) {
    return this.bot.say({ message, sessionKey, agentId });
  }

  changes(): Json[] {
    return this.events.map(({ payload }) => JSON.parse(JSON.stringify(payload)));
  }
}

class TestRuns implements GatewayRuns {
  readonly open = new Map<string, GatewayRun & { abort(): void }>();
  readonly ended = new Map<string, Promise<RunEnding>>();

  ofSession({ agentId, sessionKey }: { agentId: string; sessionKey: string }) {
    return [...this.open.values()].filter((run) => run.agentId === agentId && run.sessionKey === sessionKey);
  }

  accepted({ runId }: RunRef): GatewayRun {
    return this.open.get(runId)!;
  }

  async findEnding({ runId }: RunRef) {
    return this.ended.get(runId);
  }

  async waitForEnd({ runId }: RunRef) {
    return this.ended.get(runId);
  }

  async waitForNamed(runId: string, isMeant: (session: SessionRef) => boolean) {
    const ending = await this.ended.get(runId);
    return ending && isMeant(ending) ? ending : undefined;
  }

  onChange() {
    return () => {};
  }

  close() {}
}

function makeHost(bot: Bot, state: BotState, runs: TestRuns, channels: readonly Channel[]): AgentHost {
  return {
    status: {
      phase: { at: 'up', pid: process.pid, sinceMs: 0 },
      crashes: 0,
      get channels() {
        return channels.map((channel) => describeOpened({ channel }));
      },
      waits: [],
      failingSteps: [],
    },
    turns: new Map<string, HostTurn>(),
    onEvent: () => () => {},
    onStatus: () => () => {},
    ready: async () => {},
    warm: () => {},
    close: async () => {},
    calls: {
      accept: async ({ agentId, sessionKey, messageId, text }) => {
        const aborting = new AbortController();
        const acceptedAt = Date.now();
        const run = {
          agentId,
          sessionKey,
          runId: messageId,
          acceptedAt,
          text: '',
          messageStart: 0,
          isOver: false,
        };
        runs.open.set(messageId, { ...run, startedAt: acceptedAt, abort: () => aborting.abort() });
        const ending = bot
          .say({ agentId, sessionKey, message: text, signal: aborting.signal })
          .then(({ compactions = 0, ...report }) => {
            runs.open.delete(messageId);
            return { ...run, report: { ...report, compactions }, endedAt: Date.now() };
          });
        runs.ended.set(messageId, ending);
        return { isNew: true, seq: 1, text, state: 'received', isRefused: false };
      },
      abort: async (session) => {
        const open = runs.ofSession(session) as readonly (GatewayRun & { abort(): void })[];
        for (const run of open) run.abort();
        return open.length > 0;
      },
      withdraw: async () => false,
      receiveHttp: async () => ({ status: 404 }),
      send: async (message, waitMs) => {
        await state.outbox.put([message]);
        const until = performance.now() + waitMs;
        for (;;) {
          const kept = (await state.outbox.get(message.key))!;
          if (kept.state === 'sent' || kept.state === 'dead' || performance.now() > until) return kept;
          await sleep(10);
        }
      },
      addSystemEvent: ({ sessionKey, agentId }, text) => bot.addSystemEvent(sessionKey, text, agentId),
      say: (_id, request) => bot.say(request),
      tellSay: async () => {},
    },
  };
}

/** What OpenClaw's gateway answered, by method. */
export const FIXTURES: Record<
  string,
  { params?: Json; ok: boolean; payload?: Json; error?: Json; note?: string }[]
> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../fixtures/openclaw-gateway/rpc.json'), 'utf8'),
);
