import { readPackageVersion } from '@openbot/sessions/command-line';
import { listHeartbeats } from '../config/heartbeats.ts';
import { CHECKS, examine, openExamination } from '../doctor/examine.ts';
import type { Caller, MethodCall } from '../gateway-protocol/method.ts';
import { flag, maybe } from '../gateway-protocol/param-shapes.ts';
import { hasScope } from '../gateway-protocol/scopes.ts';
import { describeRoster } from './agents.ts';
import { describeChannelsFor } from './channels.ts';
import { modelDefaults } from './model-defaults.ts';
import type { GatewayRow } from './rows/contract.ts';
import { type GatewayServices, gatewayMethod } from './services.ts';
import { defaultAgentOf, HIDDEN_PATH, isBound, shownPath, visibleAgents } from './sessions/session-ref.ts';

type Call = MethodCall<GatewayServices>;

const RECENT = 10;

const health = gatewayMethod({
  name: 'health',
  scope: 'operator.read',
  params: { probe: maybe(flag) },
  handle: async (_params, call) => {
    const { services, caller } = call;
    const began = performance.now();
    const problems = await findProblems(services);
    const heartbeats = describeHeartbeats(call);
    const agents = await describeEach(call);
    const { channels, channelOrder, channelLabels } = describeChannelsFor(call);
    const isUp = ['up', 'resting'].includes(services.host.status.phase.at);
    const defaultAgentId = defaultAgentOf(call);
    const sessions = agents.find(({ agentId }) => agentId === defaultAgentId)?.sessions;
    return {
      // What is wrong may be wrong with another agent.
      ok: isUp && (isBound(caller) || problems.length === 0),
      ts: services.now(),
      durationMs: Math.round(performance.now() - began),
      channels,
      channelOrder,
      channelLabels,
      heartbeatSeconds: Math.round(
        (heartbeats.find(({ agentId }) => agentId === defaultAgentId)?.everyMs ?? 0) / 1000,
      ),
      defaultAgentId,
      agents: agents.map(({ agentId, sessions: own }) => ({
        agentId,
        isDefault: agentId === defaultAgentId,
        heartbeat: heartbeats.find((one) => one.agentId === agentId),
        sessions: own,
      })),
      sessions: sessions ?? { path: null, count: 0, recent: [] },
      agentHost: describeHost(call),
      ...(!isBound(caller) && {
        problems: hasScope(caller.scopes, 'operator.admin') ? problems : problems.length,
      }),
    };
  },
});

/** What `openbot health` looks at. */
async function findProblems({ stateDir, env, now }: GatewayServices): Promise<readonly string[]> {
  const place = await openExamination({ stateDir, env, cwd: stateDir, now: now() });
  const results = await examine(
    place,
    CHECKS.filter(({ isQuick }) => isQuick),
  );
  return results.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity === 'problem').map(({ what }) => what),
  );
}

async function describeEach(call: Call) {
  const { services } = call;
  return Promise.all(
    visibleAgents(call).map(async (agentId) => {
      const { rows, total } = await services.rows.list({ agentId, limit: RECENT, includeGlobal: true });
      const path = isAdmin(call.caller)
        ? shownPath(call.caller, services.state.storePathOf(agentId))
        : HIDDEN_PATH;
      const recent = rows.map(({ key, updatedAt }) => ({
        key,
        updatedAt,
        age: ageOf(updatedAt, services.now()),
      }));
      return { agentId, rows, sessions: { path, count: total, recent } };
    }),
  );
}

function describeHeartbeats(call: Call) {
  const known = new Map(listHeartbeats(call.services).map((one) => [one.agentId, one]));
  return visibleAgents(call).map((agentId) => {
    const { everyMs, target } = known.get(agentId) ?? {};
    const every = everyMs === undefined ? 'disabled' : `${everyMs / 60_000}m`;
    return { agentId, enabled: everyMs !== undefined, every, everyMs: everyMs ?? null, target };
  });
}

function describeHost({ services: { host }, caller }: Call) {
  const { phase, crashes, delayMs } = host.status;
  // It runs all agents.
  if (isBound(caller)) return { state: phase.at };
  const reason = 'reason' in phase && isAdmin(caller) ? phase.reason : undefined;
  return { state: phase.at, crashes, delayMs, turns: host.turns.size, reason };
}

const status = gatewayMethod({
  name: 'status',
  scope: 'operator.read',
  params: { includeChannelSummary: maybe(flag), includeCliProjection: maybe(flag) },
  handle: async ({ includeChannelSummary = true, includeCliProjection = false }, call) => {
    const { services, caller } = call;
    const agents = await describeEach(call);
    const all = agents
      .flatMap(({ rows }) => rows)
      .toSorted((a, b) => Number(b.updatedAt) - Number(a.updatedAt));
    const describe = (row: GatewayRow) => describeRecent(row, services.now());
    const isWhole = isAdmin(caller);
    const { model, contextTokens } = modelDefaults(services, visibleAgents(call));
    const { channelSummary } = describeChannelsFor(call);
    return {
      runtimeVersion: readPackageVersion(import.meta.url),
      ...(includeCliProjection && { cliProjection: describeForCli(call) }),
      heartbeat: { defaultAgentId: defaultAgentOf(call), agents: describeHeartbeats(call) },
      channelSummary: includeChannelSummary ? channelSummary : [],
      queuedSystemEvents: [],
      tasks: { total: 0, active: 0, terminal: 0, failures: 0, byStatus: {}, byRuntime: {} },
      sessions: {
        paths: isWhole ? [...new Set(agents.map(({ sessions }) => sessions.path))] : [],
        count: agents.reduce((sum, { sessions }) => sum + sessions.count, 0),
        defaults: isWhole ? { model, contextTokens } : { model: null, contextTokens: null },
        recent: isWhole ? all.slice(0, RECENT).map(describe) : [],
        byAgent: agents.map(({ agentId, sessions, rows }) => ({
          agentId,
          path: sessions.path,
          count: sessions.count,
          recent: isWhole ? rows.map(describe) : [],
        })),
      },
      agentHost: describeHost(call),
      uptimeMs: services.now() - services.startedAt,
      eventLoop: services.eventLoop.read(),
      ...(isWhole && !isBound(caller) && { ...(await describeProcess(services)) }),
    };
  },
});

/** What `openclaw status --json` says of the configuration. */
function describeForCli(call: Call) {
  const { defaultId, ownership, selectionRequired, agents } = describeRoster(call);
  const rows = agents.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
  return {
    agents: { defaultId, ownership, selectionRequired, rows },
    updateChannel: null,
    memoryPlugin: { enabled: true, slot: 'openbot' },
  };
}

function describeRecent(row: GatewayRow, now: number) {
  const { agentId, key, kind, sessionId, updatedAt, systemSent, abortedLastRun, inputTokens, outputTokens } =
    row;
  const total = typeof row.totalTokens === 'number' ? row.totalTokens : null;
  const window = typeof row.contextTokens === 'number' ? row.contextTokens : null;
  const isKnown = total !== null && window !== null && window > 0;
  return {
    agentId,
    key,
    kind,
    sessionId,
    updatedAt,
    age: ageOf(updatedAt, now),
    systemSent,
    abortedLastRun,
    inputTokens,
    outputTokens,
    totalTokens: total,
    totalTokensFresh: row.totalTokensFresh,
    remainingTokens: isKnown ? Math.max(0, window - total) : null,
    percentUsed: isKnown ? Math.round((100 * total) / window) : null,
    model: row.model,
    configuredModel: `${row.modelProvider}/${row.model}`,
    selectedModel: `${row.modelProvider}/${row.model}`,
    contextTokens: window,
    flags: [`id:${sessionId}`],
  };
}

async function describeProcess({ state }: GatewayServices) {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  return {
    pid: process.pid,
    processMemory: {
      rssBytes: rss,
      heapUsedBytes: heapUsed,
      heapTotalBytes: heapTotal,
      externalBytes: external,
      arrayBuffersBytes: arrayBuffers,
    },
    inbox: await state.inbox.counts(),
    outbox: await state.outbox.counts(),
  };
}

function ageOf(updatedAt: unknown, now: number): number | null {
  return typeof updatedAt === 'number' ? now - updatedAt : null;
}

function isAdmin({ scopes }: Caller): boolean {
  return hasScope(scopes, 'operator.admin');
}

const presence = gatewayMethod({
  name: 'system-presence',
  scope: 'operator.read',
  params: {},
  // Who else is connected is not for clients of an agent, as in hello-ok.
  handle: (_params, { services, caller }) => (isBound(caller) ? [] : services.presence()),
});

export const STATUS_METHODS = [health, status, presence];
