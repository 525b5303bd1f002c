import { readPackageVersion } from '@openbot/sessions/command-line';
import { openAgentHost } from '../agent-host/agent-host.ts';
import type { AgentHost } from '../agent-host/contract.ts';
import { freeMemoryWhenIdle } from '../agent-host/idle-memory.ts';
import { resolveDefaultAgentId } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { ALL_METHODS } from '../gateway-methods/all.ts';
import { COMMAND_METHODS } from '../gateway-methods/commands/all.ts';
import { watchEventLoop } from '../gateway-methods/event-loop.ts';
import { followRuns } from '../gateway-methods/events/follow-runs.ts';
import { openRows } from '../gateway-methods/rows/rows.ts';
import { openRuns } from '../gateway-methods/runs/runs.ts';
import type { GatewayServices } from '../gateway-methods/services.ts';
import { DISK_FULL } from '../gateway-process/readiness.ts';
import { openWorker } from '../gateway-worker/worker.ts';
import { maxMediaBytes } from '../media/media-settings.ts';
import { openState } from '../state/open-state.ts';
import { freeBytesOf, LEAST_FREE } from '../state-report/disk-room.ts';
import type { GatewayOptions, OpenGateway } from './contract.ts';
import { type GatewayServer, openServer } from './open-server.ts';
import { NOT_READY, passToChannel } from './pass-to-channel.ts';
import { readGatewaySettings } from './settings.ts';

/** Between two looks at whether it is used. */
const LOOK_MS = 1000;

/** All of it together. The port listens first: clients that come early are told to come again. */
export const openGateway: OpenGateway = async (options) => {
  const { stateDir, config, port, host: address, tokens, commandToken, log } = options;
  const eventLoop = watchEventLoop();
  const worker = openWorker({ stateDir, env: options.env, log });
  let services: GatewayServices | undefined;
  const server = await openServer<GatewayServices>({
    stateDir,
    port,
    host: address,
    version: readPackageVersion(import.meta.url),
    methods: [...ALL_METHODS, ...COMMAND_METHODS],
    settings: () => readGatewaySettings({ ...tokens(), commandToken }, config.config.gateway),
    describe: ({ isOwner, agentIds }) => ({
      sessionDefaults: describeDefaults(config.config, agentIds),
      ...(isOwner && { configPath: config.loaded.path, stateDir }),
    }),
    largestFile: () => maxMediaBytes(config.config),
    receiveWebhook: (request) =>
      services === undefined ? Promise.resolve(NOT_READY) : passToChannel(services, request, log),
    failing: () =>
      services === undefined ? [] : [...describeTrouble(services.host), ...listLasting(services)],
    measure: () => (services === undefined ? [] : measureHost(services.host)),
    log,
  });
  try {
    services = { ...(await openServices(options, server)), worker, eventLoop };
  } catch (error) {
    eventLoop.close();
    await server.close();
    throw error;
  }
  const { host, runs, state, rows } = services;
  const stopFreeing = freeMemory(server, host, () => rows.forget());
  const stopFollowing = followRuns(services);
  server.serve(services);
  return {
    port: server.port,
    url: `ws://${address.includes(':') ? `[${address}]` : address}:${server.port}`,
    close: async ({ reason, graceMs }) => {
      const settle = async () => {
        await Promise.all([host.close(graceMs), worker.close(graceMs)]);
        // Clients hear the end of what was cut off before they hear that the gateway stops.
        await stopFollowing();
      };
      await server.close({ reason, settle });
      stopFreeing();
      eventLoop.close();
      runs.close();
      await state.close();
    },
  };
};

function freeMemory(
  server: Pick<GatewayServer<GatewayServices>, 'countUse'>,
  { turns }: AgentHost,
  forget: () => void,
): () => void {
  const look = freeMemoryWhenIdle(forget);
  let used = server.countUse();
  const timer = setInterval(() => {
    const now = server.countUse();
    look(now === used && turns.size === 0);
    used = now;
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

async function openServices(
  { stateDir, env, config: watched, logPath, log }: GatewayOptions,
  server: GatewayServer<GatewayServices>,
): Promise<Omit<GatewayServices, 'worker' | 'eventLoop'>> {
  const { config } = watched;
  const now = Date.now;
  const state = await openState(stateDir, { store: config.session?.store, env, careReport: log });
  const { inbox } = state;
  const host = openAgentHost({ stateDir, env, config, loaded: () => watched.loaded, inbox, log });
  const runs = openRuns({ host, state, config, now });
  return {
    stateDir,
    env,
    config,
    configPath: watched.loaded.path,
    configFault: () => watched.fault,
    state,
    host,
    hub: server.hub,
    runs,
    rows: openRows({ stateDir, config, state, runs, hostPid: () => pidOf(host.status), now }),
    ...(logPath !== undefined && { logPath }),
    startedAt: now(),
    now,
    presence: () => server.presence(),
  };
}

function describeDefaults(config: BotConfig, agentIds: ReadonlySet<string> | undefined) {
  const { mainKey = 'main', scope = 'per-sender' } = config.session ?? {};
  const configured = resolveDefaultAgentId(config);
  const [first] = agentIds ?? [];
  const defaultAgentId = agentIds?.has(configured) === false && first !== undefined ? first : configured;
  return { defaultAgentId, mainKey, mainSessionKey: `agent:${defaultAgentId}:${mainKey}`, scope };
}

function pidOf({ phase }: AgentHost['status']): number | undefined {
  return 'pid' in phase ? phase.pid : undefined;
}

function describeTrouble({ status: { phase } }: AgentHost): readonly string[] {
  return phase.at === 'blocked' || 'reason' in phase ? ['agent-host'] : [];
}

/** What each kind of step is called for probes. Networks that do not take replies are no fault of the gateway. */
const KINDS = { turn: 'turns', outbox: 'outbox', inbox: 'inbox', heartbeat: 'heartbeats', send: undefined };

/** What fails again and again, and a disk without room. Names no session: anybody may ask. */
function listLasting({ host, stateDir }: Pick<GatewayServices, 'host' | 'stateDir'>): readonly string[] {
  const { failingSteps } = host.status;
  const isFull = failingSteps.some(({ isDiskFull }) => isDiskFull) || freeBytesOf(stateDir) < LEAST_FREE;
  const kinds = new Set(failingSteps.flatMap(({ kind }) => KINDS[kind] ?? []));
  return [...(isFull ? [DISK_FULL] : []), ...kinds];
}

function measureHost({ status, turns }: AgentHost): readonly string[] {
  return [
    '# HELP openbot_host_up Whether the process that runs agents answers, or rests until it is needed',
    '# TYPE openbot_host_up gauge',
    `openbot_host_up ${status.phase.at === 'up' || status.phase.at === 'resting' ? 1 : 0}`,
    '# HELP openbot_host_turns Turns that run now',
    '# TYPE openbot_host_turns gauge',
    `openbot_host_turns ${turns.size}`,
    '# HELP openbot_host_crashes_total Ends of that process that were not asked for',
    '# TYPE openbot_host_crashes_total counter',
    `openbot_host_crashes_total ${status.crashes}`,
    ...(status.delayMs === undefined
      ? []
      : [
          '# HELP openbot_host_loop_delay_seconds Delay of its event loop, as it last said',
          '# TYPE openbot_host_loop_delay_seconds gauge',
          `openbot_host_loop_delay_seconds ${status.delayMs / 1000}`,
        ]),
  ];
}
