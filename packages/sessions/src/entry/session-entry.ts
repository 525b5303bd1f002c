import type { ChatType } from '../message/chat-type.ts';
import type { DeliveryContext } from './delivery-context.ts';
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
  sessionFile?: string;
  /** Session key of the parent of a subagent session. */
  spawnedBy?: string;
  label?: string;
  displayName?: string;

  // Times and state of the session and of its last run
  sessionStartedAt?: number;
  lastInteractionAt?: number;
  lastActivityAt?: number;
  lastRunId?: string;
  status?: 'running' | 'done' | 'failed' | (string & {});
  startedAt?: number;
  endedAt?: number;
  runtimeMs?: number;
  systemSent?: boolean;
  abortedLastRun?: boolean;
  /** What ended that run; absent where another program ended it. */
  abortedBy?: RunAbortCause;
  lastHeartbeatText?: string;
  lastHeartbeatSentAt?: number;
  agentHarnessId?: string;

  // The agent's own session behind this one
  /** Session id of the Claude Agent SDK. */
  sdkSessionId?: string;
  /** Older: provider to session id of its command line program. */
  cliSessionIds?: Record<string, string>;
  /** Older still. */
  claudeCliSessionId?: string;

  // Conversation
  chatType?: ChatType;
  channel?: string;
  groupId?: string;
  subject?: string;
  /** Name of a channel-like group, such as `#general`. */
  groupChannel?: string;
  space?: string;
  origin?: SessionOrigin;

  // Delivery
  lastChannel?: string;
  lastTo?: string;
  lastAccountId?: string;
  lastThreadId?: string | number;
  deliveryContext?: DeliveryContext;
  /** Of newer programs, as they made it: `{ kind: 'none' }` where nothing is delivered. */
  delivery?: ForeignDelivery;
  route?: ForeignDelivery;
  sendPolicy?: 'allow' | 'deny';

  // Model
  providerOverride?: string;
  modelOverride?: string;
  modelProvider?: string;
  model?: string;
  /** A person was told that `fallbackNoticeActiveModel` answers in the place of this one (`provider/model`), and why. */
  fallbackNoticeSelectedModel?: string;
  fallbackNoticeActiveModel?: string;
  fallbackNoticeReason?: string;
  authProfileOverride?: string;
  authProfileOverrideSource?: 'auto' | 'user';
  authProfileOverrideCompactionCount?: number;

  // Tokens and cost
  inputTokens?: number;
  outputTokens?: number;
  /** Prompt tokens of the last turn: input + cacheRead + cacheWrite. */
  totalTokens?: number;
  /** False when totalTokens is known to be out of date. */
  totalTokensFresh?: boolean;
  cacheRead?: number;
  cacheWrite?: number;
  contextTokens?: number;
  estimatedCostUsd?: number;
  contextBudgetStatus?: ContextBudgetStatus;

  // Compaction and memory
  compactionCount?: number;
  compactionCheckpoints?: CompactionCheckpoint[];
  memoryFlushAt?: number;
  /** compactionCount when the last memory flush ran. */
  memoryFlushCompactionCount?: number;
  /** The last time that old tool calls were removed from the context of the session. */
  lastClean?: {
    at: number;
    /** Of the context; estimated. */
    savedTokens: number;
    preset?: string;
    /** The turn that asked for it. */
    turnId?: string;
  };
  /** A clean that waits for the end of the turn that asked for it. */
  pendingClean?: { turnId: string; preset?: string; keep?: number };
  /** The last turn that undid a clean, and the generation of the transcript before that. */
  lastRestore?: { turnId: string; generation: string };
  /** The last turn that was told to compact, and how many summaries the transcript had before that. */
  lastCompact?: { turnId: string; summaries: number };

  /** Thinking that a provider left out of requests because its conversation had changed. */
  droppedThinking?: {
    /** When it last did. */
    at: number;
    /** In all requests together. */
    blocks: number;
  };

  /**
   * The entry was lost and made again: as it was in the last copy of the store, or of the header of its transcript, which
   * knows neither settings nor figures.
   */
  rebuilt?: { at: number; from: 'last-good' | 'header' };

  // What the person set for this session
  thinkingLevel?: string;
  /** The level of the last run, for the line in the transcript that notes a change. */
  lastThinkingLevel?: string;
  verboseLevel?: string;
  reasoningLevel?: string;
  elevatedLevel?: string;
  responseUsage?: 'on' | 'off' | 'tokens' | 'full';
  ttsAuto?: TtsAutoMode;
  groupActivation?: 'mention' | 'always';
  groupActivationNeedsSystemIntro?: boolean;
  queueMode?: SessionQueueMode;
  queueDebounceMs?: number;
  queueCap?: number;
  queueDrop?: 'old' | 'new' | 'summarize';
  execHost?: string;
  execSecurity?: string;
  execAsk?: string;
  execNode?: string;
  /** Rules that people allowed for this session by their answer `always`. */
  permissionsAdded?: string[];

  // Snapshots
  skillsSnapshot?: SessionSkillSnapshot;
  systemPromptReport?: SessionSystemPromptReport;
};

/** An entry together with the fields this package does not know. */
export interface OpenSessionEntry extends SessionEntry {
  [field: string]: unknown;
}

/** Where another program delivers to, in words of its own. They are never respelled. */
interface ForeignDelivery {
  kind?: string;
  channel?: string;
  [field: string]: unknown;
}

/** `interrupt`: by a newer message. `shutdown`: its process was asked to end. `crash`: its process died. */
export type RunAbortCause = 'person' | 'interrupt' | 'timeout' | 'shutdown' | 'crash';

type TtsAutoMode = 'off' | 'always' | 'inbound' | 'tagged' | (string & {});

/** Every spelling that is met in stores. */
export type SessionQueueMode =
  | 'steer'
  | 'followup'
  | 'collect'
  | 'steer-backlog'
  | 'steer+backlog'
  | 'queue'
  | 'interrupt';

/** The message that a session began with. */
export interface SessionOrigin {
  /** Name of the conversation for people to read. */
  label?: string;
  /** The channel it came in by. */
  provider?: string;
  /** Where on that channel. */
  surface?: string;
  chatType?: ChatType;
  from?: string;
  to?: string;
  accountId?: string;
  threadId?: string | number;
}
