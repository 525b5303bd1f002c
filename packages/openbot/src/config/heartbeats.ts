import type { Environment } from '@openbot/sessions/layout';
import { listConfigured, resolveAgentSettings, resolveDefaultAgentId } from './agents.ts';
import type { BotConfig, HeartbeatSettings } from './bot-config.ts';
import { parseDuration, parseTimeOfDay } from './duration.ts';
import { findMachineZone } from './machine-zone.ts';

/** The heartbeat of one agent. */
export interface Heartbeat {
  readonly agentId: string;
  readonly everyMs: number;
  /** At all times when absent. */
  readonly activeHours?: ActiveHours;
  readonly prompt?: string;
  /** `last`, `none`, or the name of a channel. */
  readonly target: string;
  readonly to?: string;
  readonly accountId?: string;
  readonly model?: string;
  readonly ackMaxChars: number;
  /** Absolute. */
  readonly workspaceDir: string;
  readonly timeZone: string;
}

export interface ActiveHours {
  /** Minutes since midnight. A start behind the end means over midnight. */
  readonly start: number;
  readonly end: number;
  readonly timeZone: string;
}

const EVERY = '30m';
const ACK_MAX_CHARS = 300;

/**
 * As OpenClaw: if agents have a heartbeat of their own, only they have one; else the default agent has that of
 * `agents.defaults`. Without any setting there is none.
 */
export function listHeartbeats(params: {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly env: Environment;
}): Heartbeat[] {
  const { config } = params;
  const shared = config.agents?.defaults?.heartbeat;
  const own = listConfigured(config).filter(({ heartbeat }) => heartbeat !== undefined);
  const agentIds = own.length > 0 ? own.map(({ id }) => id) : shared ? [resolveDefaultAgentId(config)] : [];
  return agentIds
    .map((agentId) => resolveHeartbeat({ ...params, agentId }))
    .filter(({ everyMs }) => everyMs > 0);
}

export function resolveHeartbeat(params: {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly env: Environment;
  readonly agentId: string;
}): Heartbeat {
  const { config, agentId } = params;
  const { workspaceDir, userTimezone } = resolveAgentSettings(params);
  const own = listConfigured(config).find(({ id }) => id === agentId)?.heartbeat;
  const settings: HeartbeatSettings = { ...config.agents?.defaults?.heartbeat, ...own };
  return {
    agentId,
    everyMs: parseDuration(settings.every ?? EVERY) ?? 0,
    activeHours: readHours(settings.activeHours, userTimezone),
    prompt: settings.prompt,
    target: settings.target ?? 'last',
    to: settings.to,
    accountId: settings.accountId,
    model: settings.model,
    ackMaxChars: settings.ackMaxChars ?? ACK_MAX_CHARS,
    workspaceDir,
    timeZone: userTimezone,
  };
}

function readHours(hours: HeartbeatSettings['activeHours'], userTimezone: string): ActiveHours | undefined {
  if (hours === undefined) return undefined;
  const start = parseTimeOfDay(hours.start ?? '00:00') ?? 0;
  const end = parseTimeOfDay(hours.end ?? '24:00') ?? 24 * 60;
  const { timezone = 'user' } = hours;
  const timeZone = timezone === 'user' ? userTimezone : timezone === 'local' ? findMachineZone() : timezone;
  return { start, end, timeZone };
}
