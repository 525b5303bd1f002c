import { isThreadSessionKey, parseSessionKeyOrRest, resolveThreadRoot } from '../key/classify.ts';
import { normalizeResetAtHour } from './daily-reset.ts';
import type { SessionConfig, SessionResetConfig, SessionResetMode } from './session-config.ts';

const DEFAULT_RESET_MODE: SessionResetMode = 'daily';
const DEFAULT_IDLE_MINUTES = 60;

export type SessionResetType = 'direct' | 'group' | 'thread';

/** What decides whether a session is over. In daily mode `idleMinutes` counts too, where it is given. */
export interface SessionResetPolicy {
  mode: SessionResetMode;
  atHour: number;
  idleMinutes?: number;
}

/** Whether a message belongs to a thread, by what its channel says of it or by its key. */
export function resolveThreadFlag(params: {
  sessionKey?: string | null;
  messageThreadId?: string | number | null;
  threadLabel?: string | null;
  threadStarterBody?: string | null;
  parentSessionKey?: string | null;
}): boolean {
  const { messageThreadId, threadLabel, threadStarterBody, parentSessionKey } = params;
  if (messageThreadId != null && String(messageThreadId).trim() !== '') return true;
  if ([threadLabel, threadStarterBody, parentSessionKey].some((text) => text?.trim())) return true;
  return isThreadSessionKey(params.sessionKey);
}

/** Threads first, whatever they hang off. Channels count as groups. */
export function resolveSessionResetType(params: {
  sessionKey?: string | null;
  isGroup?: boolean;
  isThread?: boolean;
}): SessionResetType {
  if (params.isThread || isThreadSessionKey(params.sessionKey)) return 'thread';
  if (params.isGroup) return 'group';
  const parsed = parseSessionKeyOrRest(params.sessionKey);
  const root = parsed && resolveThreadRoot(parsed);
  return root?.kind === 'group' || root?.kind === 'channel' ? 'group' : 'direct';
}

export function resolveChannelResetConfig(params: {
  sessionCfg?: SessionConfig;
  channel?: string | null;
}): SessionResetConfig | undefined {
  const wanted = params.channel?.trim().toLowerCase();
  if (!wanted) return undefined;
  const entries = Object.entries(params.sessionCfg?.resetByChannel ?? {});
  return entries.find(([channel]) => channel.trim().toLowerCase() === wanted)?.[1];
}

/**
 * By channel if that is configured, and then nothing else counts; otherwise by type over `reset`, with `idleMinutes` of
 * older configurations last. Daily at 4 when nothing is configured; 60 minutes when idle mode names none. Idle times
 * below a minute are a minute.
 */
export function resolveSessionResetPolicy(params: {
  sessionCfg?: SessionConfig;
  /** `dm` is read as `direct`. */
  resetType: SessionResetType | 'dm';
  /** Looks the channel up, unless `resetOverride` already holds what was found. */
  channel?: string | null;
  resetOverride?: SessionResetConfig;
}): SessionResetPolicy {
  const override = params.resetOverride ?? resolveChannelResetConfig(params);
  const cfg = override ? { reset: override } : (params.sessionCfg ?? {});
  const byType = override ? undefined : readTypeConfig(params.sessionCfg, params.resetType);
  const isLegacy = cfg.reset == null && cfg.resetByType == null && cfg.idleMinutes != null;
  const mode =
    readMode(byType?.mode) ?? readMode(cfg.reset?.mode) ?? (isLegacy ? 'idle' : DEFAULT_RESET_MODE);
  const atHour = normalizeResetAtHour(byType?.atHour ?? cfg.reset?.atHour);
  const idleMinutes =
    readIdleMinutes(byType?.idleMinutes ?? cfg.reset?.idleMinutes ?? cfg.idleMinutes) ??
    (mode === 'idle' ? DEFAULT_IDLE_MINUTES : undefined);
  return idleMinutes === undefined ? { mode, atHour } : { mode, atHour, idleMinutes };
}

function readTypeConfig(
  cfg: SessionConfig | undefined,
  type: SessionResetType | 'dm',
): SessionResetConfig | undefined {
  const byType = cfg?.resetByType;
  return type === 'dm' || type === 'direct' ? (byType?.direct ?? byType?.dm) : byType?.[type];
}

function readMode(mode: unknown): SessionResetMode | undefined {
  return mode === 'daily' || mode === 'idle' || mode === 'manual' ? mode : undefined;
}

function readIdleMinutes(minutes: unknown): number | undefined {
  if (typeof minutes !== 'number' || !Number.isFinite(minutes)) return undefined;
  return Math.max(1, Math.floor(minutes));
}
