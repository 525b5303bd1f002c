import type { LifecycleConfig } from '@openbot/sessions';
import type { MemoryFlushConfig, QueueConfig } from '@openbot/sessions/policy';
import type { PermissionSettings } from '../permissions/contract.ts';
import type { RunnerName } from '../runner-kinds.ts';

export const CONFIG_FILE_NAME = 'openbot.json';

/**
 * `openbot.json`. Names are OpenClaw's where it has the setting, so that an `openclaw.json` can be taken over. What each
 * setting means is said in `schema/`, which checks the file when it is read.
 */
export interface BotConfig extends LifecycleConfig {
  agents?: {
    defaults?: AgentSettings & {
      /** Of one file of a message, in or out; 20. */
      readonly mediaMaxMb?: number;
    };
    list?: readonly (AgentSettings & {
      readonly id: string;
      readonly default?: boolean;
      readonly name?: string;
    })[];
    /** By id, as OpenClaw writes them since 2026.9; `list` wins over it. */
    entries?: Readonly<Record<string, AgentSettings & { readonly name?: string }>>;
    /** Runs of all agents together. */
    maxConcurrentRuns?: number;
  };
  /** Which agent gets a message: the most specific one that matches, of equal ones the first. */
  bindings?: readonly Binding[];
  /** By name, such as `telegram`. */
  channels?: Record<string, ChannelSettings | undefined>;
  messages?: {
    queue?: QueueConfig;
    groupChat?: { historyLimit?: number; mentionPatterns?: readonly string[] };
    /** In front of every reply. */
    responsePrefix?: string;
    /** Shows that a message was taken. None when absent. */
    ackReaction?: string;
    /** `group-mentions`. */
    ackReactionScope?: 'group-mentions' | 'group-all' | 'direct' | 'all' | 'off' | 'none';
    removeAckAfterReply?: boolean;
  };
  /** Files of messages. */
  attachments?: {
    /** How long those that arrive are kept; 720. */
    readonly ttlHours?: number;
    /** Files that are sent may be fetched from this machine and from private networks. False. */
    readonly allowPrivateNetwork?: boolean;
  };
  skills?: { load?: { extraDirs?: readonly string[] }; allowBundled?: readonly string[] };
  session?: LifecycleConfig['session'] & {
    /** How often sessions may pass a message on before a person must speak again. 5. */
    agentToAgent?: { readonly maxPingPongTurns?: number };
    threads?: {
      /** True: a thread has a session of its own. */
      readonly enabled?: boolean;
      /** False. The session of a thread begins as a fork of that of its conversation. */
      readonly inheritParent?: boolean;
    };
  };
  index?: {
    /** True. */
    readonly enabled?: boolean;
    readonly embedding?: EmbeddingSettings;
  };
  /** For all agents. */
  tools?: {
    exec?: ExecSettings;
    sessions?: {
      /** Which sessions of its agent a session reaches: itself, also those that it spawned, or all. */
      readonly visibility?: 'self' | 'tree' | 'agent';
    };
  };
  /** Coding runs that a conversation may start. */
  claudeCode?: CodingSettings;
  models?: {
    /** By name. A provider that is known without it keeps what is not set here. */
    providers?: Readonly<Record<string, ProviderSettings>>;
  };
  usage?: {
    /** A table of prices in the place of the built-in one. */
    readonly prices?: string;
  };
  gateway?: GatewaySettings;
  /** Chat commands. */
  commands?: {
    /** Ids of the owners of the bot, such as `telegram:777`. Those in `allowFrom` of the channel when absent. */
    ownerAllowFrom?: readonly (string | number)[];
  };
}

/** The process that clients connect to. */
export interface GatewaySettings {
  /** DEFAULT_GATEWAY_PORT. Held by the process that runs until it ends, as `bind` is. */
  port?: number;
  /** Which addresses of this machine it listens on. `loopback` when absent; `auto` is the same. */
  bind?: (typeof GATEWAY_BINDS)[number];
  /** Of `custom`: an address of this machine. */
  customBindHost?: string;
  auth?: {
    /** Of full rights. That of `secrets/gateway-token` when absent, which is made at the first start. */
    token?: string;
    /** By the id of an agent: a client with one sees no other agent. */
    agentTokens?: Readonly<Record<string, string>>;
  };
  /** Names in `Host`, besides addresses of loopback and the one that it listens on. */
  allowedHosts?: readonly string[];
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `x-forwarded-for` is believed. */
  trustedProxies?: readonly string[];
  controlUi?: {
    /** The folder of OpenClaw's page. */
    root?: string;
    /** Origins of pages, besides the gateway's own. */
    allowedOrigins?: readonly string[];
  };
  http?: {
    endpoints?: {
      /** `/v1/chat/completions` and `/v1/models`. False. */
      chatCompletions?: { enabled?: boolean };
      /** `/v1/responses`. False. */
      responses?: { enabled?: boolean };
    };
    /** Requests of chat networks. */
    channels?: { maxBytes?: number };
  };
  /** `/metrics`. False. */
  metrics?: { enabled?: boolean };
  /** How long runs may take to end when it stops. 10. */
  graceSeconds?: number;
}

/** OpenClaw's names. */
export const GATEWAY_BINDS = ['loopback', 'lan', 'tailnet', 'custom', 'auto'] as const;

/** Not OpenClaw's 18789, nor one that it derives from that: both may run on one machine. */
export const DEFAULT_GATEWAY_PORT = 19_789;

/** The tool `exec`. Names are OpenClaw's, but for `allowlist` and `passEnv`. */
export interface ExecSettings {
  /** Commands run on this machine (`auto`, `gateway`); with another value, which asks for more, none does. */
  host?: 'auto' | 'gateway' | 'sandbox' | 'node';
  /** Which commands run: none (also when absent), those of `allowlist`, all. */
  security?: 'deny' | 'allowlist' | 'full';
  /** Whether a person is asked: never, about what is not in `allowlist` (also when absent), each time. */
  ask?: 'off' | 'on-miss' | 'always';
  /** `git status`, or with a pattern `git log:*`, `ls *`. */
  allowlist?: readonly string[];
  /** Seconds. 300. */
  timeoutSec?: number;
  /** Names of variables that commands get beside the usual ones. */
  passEnv?: readonly string[];
}

export interface CodingSettings {
  /** Folders in which runs may work, with all that is below them. Without any, no run can be started. */
  repos?: readonly string[];
  /** How the session of a run is chosen. */
  sessionSelection?: {
    relevanceModel?: string;
    relevanceMaxTokens?: number;
    relevanceTimeoutMs?: number;
    resumeThreshold?: number;
    enabled?: boolean;
  };
  model?: string;
  /** Of a session, where the tool names none. */
  maxBudgetUsd?: number;
  /** Rules for calls that need no permission: `Read`, `Bash(git status:*)`. */
  allowedTools?: readonly string[];
  permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'auto';
  /** Neither the user's nor the repository's settings of Claude Code. */
  isolated?: boolean;
  /** How often a long run says that it works. 10; 0 for never. */
  progressMinutes?: number;
  /** How long a run waits for follow-ups. 30. */
  idleMinutes?: number;
}

export interface SubagentSettings {
  /** 1: sessions that were spawned spawn none. */
  maxSpawnDepth?: number;
  /** Spawned sessions of one session that work at the same time. 5. */
  maxChildrenPerAgent?: number;
  /** An alias or `provider/model`, where the tool names none. */
  model?: string;
  thinking?: string;
  /** Of one task, where the tool names none. */
  runTimeoutSeconds?: number;
}

/** A provider of models that the runner of pi asks. */
export interface ProviderSettings {
  baseUrl?: string;
  apiKey?: string;
  /** The kind of its API, such as `anthropic-messages`, `openai-completions` or `openai-responses`. */
  api?: string;
  headers?: Readonly<Record<string, string>>;
  /** True. */
  dropStaleThinking?: boolean;
  models?: readonly ModelSettings[];
}

export interface ModelSettings {
  id: string;
  api?: string;
  baseUrl?: string;
  /** Tokens. */
  contextWindow?: number;
  /** Tokens of an answer. */
  maxTokens?: number;
  /** It can think before it answers. */
  reasoning?: boolean;
  input?: readonly string[];
  /** Dollars for a million tokens. */
  cost?: Partial<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h', number>>;
  headers?: Readonly<Record<string, string>>;
}

/** In the words of OpenClaw and pi. A model that has fewer takes the nearest. */
export const THINKING_LEVELS = [
  'off',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'adaptive',
  'max',
  'ultra',
] as const;

/** An endpoint that speaks OpenAI's API for embeddings. */
export interface EmbeddingSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly dimensions?: number;
}

/** What all channels have in common. */
export interface ChannelSettings extends ChannelAccountSettings {
  /** By the id of an account; each setting in the place of that of the channel. */
  accounts?: Readonly<Record<string, ChannelAccountSettings | undefined>>;
}

export const DM_POLICIES = ['pairing', 'allowlist', 'open', 'disabled'] as const;
export const GROUP_POLICIES = ['allowlist', 'open', 'disabled'] as const;

/** A network has settings of its own beside these; its driver checks them. */
export interface ChannelAccountSettings {
  /** It is opened unless this is false. */
  enabled?: boolean;
  /** What people call the account. */
  name?: string;
  /** Who may write direct messages. `pairing`. */
  dmPolicy?: (typeof DM_POLICIES)[number];
  /** Ids of people who may talk and give commands; `*` for everybody. */
  allowFrom?: readonly (string | number)[];
  /** Who may talk in groups. `allowlist`. */
  groupPolicy?: (typeof GROUP_POLICIES)[number];
  /** Ids of people who may talk in groups, in the place of `allowFrom`. */
  groupAllowFrom?: readonly (string | number)[];
  /** By the id of a group; `*` for those that are not listed. Where it is set, no other group is heard. */
  groups?: Readonly<Record<string, GroupSettings | undefined>>;
  /** Messages of one person in a minute; 0 for no limit. 20. */
  rateLimit?: number;
  /** Which replies are shown as an answer to the message: none, the first of a turn, all. */
  replyToMode?: 'off' | 'first' | 'all';
  /** What people see while an agent writes. Whole replies when absent. */
  streaming?: StreamingMode | boolean | { readonly mode?: StreamingMode };
  /** In the place of `messages.ackReaction`. */
  ackReaction?: string;
}

/** `partial` edits a draft as the text grows, `block` sends each paragraph when it is done. The names are OpenClaw's. */
export type StreamingMode = 'off' | 'partial' | 'block' | 'progress';

/** A topic of a group has the same settings as the group, each in the place of that of the group. */
export interface GroupSettings extends TopicSettings {
  /** By the id of a topic; `*` for those that are not listed. */
  topics?: Readonly<Record<string, TopicSettings | undefined>>;
}

export interface TopicSettings {
  /** True. */
  enabled?: boolean;
  requireMention?: boolean;
  groupPolicy?: (typeof GROUP_POLICIES)[number];
  /** Only these people may talk there. */
  allowFrom?: readonly (string | number)[];
}

export interface AgentSettings {
  workspace?: string;
  /** `provider/model`, or an alias. */
  model?: string | { primary?: string; fallbacks?: readonly string[] };
  /** Runs models that more than one program can run; others are run by the program of their provider. */
  runner?: RunnerName;
  /** By `provider/model`. */
  models?: Readonly<Record<string, { alias?: string; contextWindow?: number }>>;
  /** IANA name. Timestamps and dates that the agent reads are in it. */
  userTimezone?: string;
  thinkingDefault?: string;
  verboseDefault?: string;
  reasoningDefault?: string;
  /** Seconds. 600. */
  timeoutSeconds?: number;
  /** Runs of this agent at a time. */
  maxConcurrent?: number;
  /** Tokens of the model's window, where the runner does not know it or it should be smaller. */
  contextTokens?: number;
  /** Names of skills that the agent may use; all when absent. */
  skills?: readonly string[];
  /** Names of tools that the agent may use; all when absent. */
  tools?:
    | readonly string[]
    | { readonly allow?: readonly string[]; readonly deny?: never; readonly exec?: ExecSettings };
  permissions?: PermissionSettings;
  /** Text in front of the system prompt. */
  systemPrompt?: string;
  subagents?: SubagentSettings;
  /** In the place of the same settings of `claudeCode` for all agents. */
  claudeCode?: CodingSettings;
  /** Turns without a message of a person. None when absent. */
  heartbeat?: HeartbeatSettings;
  compaction?: NonNullable<NonNullable<MemoryFlushConfig['agents']>['defaults']>['compaction'];
  claude?: ClaudeSettings;
}

export interface HeartbeatSettings {
  /** Such as `30m`, which it is when absent; `0m` for none. */
  every?: string;
  activeHours?: {
    /** `08:00` */
    start?: string;
    /** `24:00` is the end of the day. */
    end?: string;
    /** `user`, the agent's, when absent; `local`, the machine's; or an IANA name. */
    timezone?: string;
  };
  prompt?: string;
  /** Where alerts go: `last`, `none`, or a channel. */
  target?: string;
  to?: string;
  accountId?: string;
  /** For heartbeats alone. */
  model?: string;
  /** Characters beside HEARTBEAT_OK that are not sent. 300. */
  ackMaxChars?: number;
}

export const CLAUDE_PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const;

/** What an agent may do with Claude Code's own tools, where a Claude model answers. */
export interface ClaudeSettings {
  /** Which of them the model is offered beside the agent's tools: `none` when absent. */
  readonly tools?: readonly string[] | 'all' | 'none';
  /** Which uses need no permission. `default`: reading in the workspace. */
  readonly permissionMode?: (typeof CLAUDE_PERMISSION_MODES)[number];
}

/** Every condition that is given must hold. */
export interface Binding {
  readonly agentId: string;
  readonly match: {
    readonly channel: string;
    /** `*` for every account; the default account when absent. */
    readonly accountId?: string;
    readonly peer?: {
      readonly kind: 'dm' | 'direct' | 'group' | 'channel';
      readonly id: string | number;
    };
    /** Short for a peer of kind group. */
    readonly group?: string | number;
    /** A server of Discord. */
    readonly guildId?: string | number;
    /** A workspace of Slack. */
    readonly teamId?: string | number;
    /** The sender has one of these roles in the guild. */
    readonly roles?: readonly string[];
  };
}
