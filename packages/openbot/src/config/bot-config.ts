import type { LifecycleConfig } from '@openbot/sessions';
import type { MemoryFlushConfig, QueueConfig } from '@openbot/sessions/policy';
import type { PermissionSettings } from '../permissions/contract.ts';

export const CONFIG_FILE_NAME = 'openbot.json';

/**
 * `openbot.json`. Names are OpenClaw's where it has the setting, so that an `openclaw.json` can be taken over. Unknown
 * settings are ignored; values of known ones are checked when the file is read.
 */
export interface BotConfig extends LifecycleConfig {
  agents?: {
    defaults?: AgentSettings & NonNullable<MemoryFlushConfig['agents']>['defaults'];
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
  };
  skills?: { load?: { extraDirs?: readonly string[] }; allowBundled?: readonly string[] };
  /** For all agents. */
  tools?: { exec?: ExecSettings };
}

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

/** What all channels have in common. */
export interface ChannelSettings {
  /** Ids of people who may give commands. */
  allowFrom?: readonly (string | number)[];
  /** By the id of a group; `*` for those that are not listed. */
  groups?: Readonly<Record<string, { readonly requireMention?: boolean } | undefined>>;
  /** Which replies are shown as an answer to the message: none, the first of a turn, all. */
  replyToMode?: 'off' | 'first' | 'all';
}

export interface AgentSettings {
  workspace?: string;
  /** `provider/model`, or an alias. */
  model?: string | { primary?: string; fallbacks?: readonly string[] };
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
