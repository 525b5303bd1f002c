import type { ChatType } from '../message/chat-type.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { SessionOrigin } from './session-origin.ts';
import type {
  CompactionCheckpoint,
  ContextBudgetStatus,
  SessionSkillSnapshot,
  SessionSystemPromptReport,
} from './snapshots.ts';

/**
 * What a store keeps under one session key. An entry may hold fields that are not listed here: they are kept through
 * every update. A field set to undefined is removed when the entry is written.
 */
export type SessionEntry = {
  /** The transcript that the key now points to. */
  sessionId: string;
  /** Last activity, ms. */
  updatedAt: number;
  /** Absolute; when absent the transcript is `<sessionId>.jsonl` beside the store. */
  sessionFile?: string | undefined;
  /** Session key of the parent of a subagent session. */
  spawnedBy?: string | undefined;
  label?: string | undefined;
  displayName?: string | undefined;

  // Times and state of the session and of its last run
  sessionStartedAt?: number | undefined;
  lastInteractionAt?: number | undefined;
  lastActivityAt?: number | undefined;
  status?: 'running' | 'done' | 'failed' | (string & {}) | undefined;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
  runtimeMs?: number | undefined;
  systemSent?: boolean | undefined;
  abortedLastRun?: boolean | undefined;
  lastHeartbeatText?: string | undefined;
  lastHeartbeatSentAt?: number | undefined;
  agentHarnessId?: string | undefined;

  // The agent's own session behind this one
  /** Session id of the Claude Agent SDK. */
  sdkSessionId?: string | undefined;
  /** Older: provider to session id of its command line program. */
  cliSessionIds?: Record<string, string> | undefined;
  /** Older still. */
  claudeCliSessionId?: string | undefined;

  // Conversation
  chatType?: ChatType | undefined;
  channel?: string | undefined;
  groupId?: string | undefined;
  subject?: string | undefined;
  /** Name of a channel-like group, such as `#general`. */
  groupChannel?: string | undefined;
  space?: string | undefined;
  origin?: SessionOrigin | undefined;

  // Delivery
  lastChannel?: string | undefined;
  lastTo?: string | undefined;
  lastAccountId?: string | undefined;
  lastThreadId?: string | number | undefined;
  deliveryContext?: DeliveryContext | undefined;
  /** Of newer programs, as they made it: `{ kind: 'none' }` where nothing is delivered. */
  delivery?: ForeignDelivery | undefined;
  route?: ForeignDelivery | undefined;
  sendPolicy?: 'allow' | 'deny' | undefined;

  // Model
  providerOverride?: string | undefined;
  modelOverride?: string | undefined;
  modelProvider?: string | undefined;
  model?: string | undefined;
  authProfileOverride?: string | undefined;
  authProfileOverrideSource?: 'auto' | 'user' | undefined;
  authProfileOverrideCompactionCount?: number | undefined;

  // Tokens and cost
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** Prompt tokens of the last turn: input + cacheRead + cacheWrite. */
  totalTokens?: number | undefined;
  /** False when totalTokens is known to be out of date. */
  totalTokensFresh?: boolean | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  contextTokens?: number | undefined;
  estimatedCostUsd?: number | undefined;
  contextBudgetStatus?: ContextBudgetStatus | undefined;

  // Compaction and memory
  compactionCount?: number | undefined;
  compactionCheckpoints?: CompactionCheckpoint[] | undefined;
  memoryFlushAt?: number | undefined;
  /** compactionCount when the last memory flush ran. */
  memoryFlushCompactionCount?: number | undefined;

  // What the person set for this session
  thinkingLevel?: string | undefined;
  verboseLevel?: string | undefined;
  reasoningLevel?: string | undefined;
  elevatedLevel?: string | undefined;
  responseUsage?: 'on' | 'off' | 'tokens' | 'full' | undefined;
  ttsAuto?: TtsAutoMode | undefined;
  groupActivation?: 'mention' | 'always' | undefined;
  groupActivationNeedsSystemIntro?: boolean | undefined;
  queueMode?: SessionQueueMode | undefined;
  queueDebounceMs?: number | undefined;
  queueCap?: number | undefined;
  queueDrop?: 'old' | 'new' | 'summarize' | undefined;
  execHost?: string | undefined;
  execSecurity?: string | undefined;
  execAsk?: string | undefined;
  execNode?: string | undefined;

  // Snapshots
  skillsSnapshot?: SessionSkillSnapshot | undefined;
  systemPromptReport?: SessionSystemPromptReport | undefined;
};

/** An entry together with the fields this package does not know. */
export type OpenSessionEntry = SessionEntry & { [field: string]: unknown };

/** Where another program delivers to, in words of its own. They are never respelled. */
export type ForeignDelivery = {
  kind?: string | undefined;
  channel?: string | undefined;
  [field: string]: unknown;
};

export type TtsAutoMode = 'off' | 'always' | 'inbound' | 'tagged' | (string & {});

/** Every spelling that is met in stores. */
export type SessionQueueMode =
  | 'steer'
  | 'followup'
  | 'collect'
  | 'steer-backlog'
  | 'steer+backlog'
  | 'queue'
  | 'interrupt';
