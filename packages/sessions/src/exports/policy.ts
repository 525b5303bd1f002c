/** `@openbot/sessions/policy`: the decisions that the lifecycle takes, one by one. */

// Reset and freshness

export { isAuthorizedSender, isEverybody, type SenderContext } from '../policy/authorized-sender.ts';
export type { SessionFreshness } from '../policy/freshness.ts';
export {
  resolveChannelResetConfig,
  resolveSessionResetPolicy,
  resolveSessionResetType,
  resolveThreadFlag,
  type SessionResetPolicy,
  type SessionResetType,
} from '../policy/reset-policy.ts';
export {
  DEFAULT_RESET_TRIGGERS,
  matchResetTrigger,
  type ResetTriggerMatch,
} from '../policy/reset-trigger.ts';
export type { SessionResetConfig, SessionResetMode } from '../policy/session-config.ts';

// Sending and queues

export {
  normalizeQueueDropPolicy,
  normalizeQueueMode,
  type QueueConfig,
  type QueueDropPolicy,
  type QueueMode,
  type QueueSettings,
  resolveQueueSettings,
} from '../policy/queue-settings.ts';
export { normalizeSendPolicy } from '../policy/send-policy.ts';
export type {
  SessionSendPolicyConfig,
  SessionSendPolicyDecision,
  SessionSendPolicyRule,
} from '../policy/session-config.ts';

// Memory flush and retention

export {
  type MemoryFlushConfig,
  type MemoryFlushSettings,
  resolveMemoryFlushSettings,
} from '../policy/memory-flush.ts';
export { type PruneDecision, type PruneReason, selectEntriesToPrune } from '../policy/retention.ts';
