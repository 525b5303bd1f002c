import type { SessionEntry, SessionQueueMode } from '../entry/session-entry.ts';
import { readWord } from './send-policy.ts';

/** Every spelling that a stored session may hold. */
export const SESSION_QUEUE_MODES: readonly SessionQueueMode[] = [
  'steer',
  'followup',
  'collect',
  'steer-backlog',
  'steer+backlog',
  'queue',
  'interrupt',
];

/**
 * What happens to a message that arrives during a run: it joins the run (`steer`), waits for its own run (`followup`),
 * waits and is answered together with others (`collect`), joins and also waits (`steer-backlog`), or ends the run.
 */
export type QueueMode = Exclude<SessionQueueMode, 'steer+backlog' | 'queue'>;

/** What gives way when the queue is full: the oldest message, the newest, or the detail of the old ones. */
export type QueueDropPolicy = 'old' | 'new' | 'summarize';

const DEFAULT_QUEUE_MODE: QueueMode = 'collect';
const DEFAULT_QUEUE_DEBOUNCE_MS = 1000;
const DEFAULT_QUEUE_CAP = 20;
const DEFAULT_QUEUE_DROP: QueueDropPolicy = 'summarize';

const MODES: ReadonlyMap<string, QueueMode> = new Map([
  ['steer', 'steer'],
  ['steering', 'steer'],
  ['queue', 'steer'],
  ['queued', 'steer'],
  ['followup', 'followup'],
  ['follow-up', 'followup'],
  ['followups', 'followup'],
  ['follow-ups', 'followup'],
  ['collect', 'collect'],
  ['coalesce', 'collect'],
  ['steer-backlog', 'steer-backlog'],
  ['steer+backlog', 'steer-backlog'],
  ['steer_backlog', 'steer-backlog'],
  ['interrupt', 'interrupt'],
  ['interrupts', 'interrupt'],
  ['abort', 'interrupt'],
]);

const DROPS: ReadonlyMap<string, QueueDropPolicy> = new Map([
  ['old', 'old'],
  ['oldest', 'old'],
  ['new', 'new'],
  ['newest', 'new'],
  ['summarize', 'summarize'],
  ['summary', 'summarize'],
]);

export function normalizeQueueMode(raw: unknown): QueueMode | undefined {
  return MODES.get(readWord(raw));
}

export function normalizeQueueDropPolicy(raw: unknown): QueueDropPolicy | undefined {
  return DROPS.get(readWord(raw));
}

export type QueueEntry = Pick<SessionEntry, 'queueMode' | 'queueDebounceMs' | 'queueCap' | 'queueDrop'>;

/** The `messages.queue` part of the configuration. */
export interface QueueConfig {
  mode?: string;
  byChannel?: Record<string, string>;
  debounceMs?: number;
  debounceMsByChannel?: Record<string, number>;
  cap?: number;
  drop?: string;
  /** How long messages of chat networks wait for a model that cannot be reached. 12. */
  holdHours?: number;
}

export interface QueueSettings {
  mode: QueueMode;
  debounceMs: number;
  /** Messages that may wait, at least 1. */
  cap: number;
  dropPolicy: QueueDropPolicy;
}

/** The session's own settings over the channel's, those over the configured ones, those over the defaults. */
export function resolveQueueSettings(params: {
  cfg?: { messages?: { queue?: QueueConfig } };
  channel?: string | null;
  sessionEntry?: QueueEntry;
}): QueueSettings {
  const { sessionEntry: entry } = params;
  const queue = params.cfg?.messages?.queue;
  const channel = readWord(params.channel);
  return {
    mode:
      normalizeQueueMode(entry?.queueMode) ??
      normalizeQueueMode(pickChannel(queue?.byChannel, channel)) ??
      normalizeQueueMode(queue?.mode) ??
      DEFAULT_QUEUE_MODE,
    debounceMs:
      readCount(entry?.queueDebounceMs, 0) ??
      readCount(pickChannel(queue?.debounceMsByChannel, channel), 0) ??
      readCount(queue?.debounceMs, 0) ??
      DEFAULT_QUEUE_DEBOUNCE_MS,
    cap: readCount(entry?.queueCap, 1) ?? readCount(queue?.cap, 1) ?? DEFAULT_QUEUE_CAP,
    dropPolicy:
      normalizeQueueDropPolicy(entry?.queueDrop) ??
      normalizeQueueDropPolicy(queue?.drop) ??
      DEFAULT_QUEUE_DROP,
  };
}

function pickChannel<T>(byChannel: Record<string, T> | undefined, channel: string): T | undefined {
  return Object.entries(byChannel ?? {}).find(([name]) => readWord(name) === channel)?.[1];
}

function readCount(value: unknown, least: number): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.max(least, Math.floor(value));
}
