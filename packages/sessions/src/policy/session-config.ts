import type { IdentityLinks } from '../key/identity-links.ts';
import type { DmScope } from '../key/parsed-key.ts';
import type { SessionScope } from '../key/resolve.ts';

/** `manual` sessions end only on request. */
export type SessionResetMode = 'daily' | 'idle' | 'manual';

/** One place where a reset can be configured; what it leaves open comes from the next wider place. */
export interface SessionResetConfig {
  mode?: SessionResetMode;
  /** Hour of the daily reset in local time, 0–23. */
  atHour?: number;
  idleMinutes?: number;
}

export type SessionSendPolicyDecision = 'allow' | 'deny';

export interface SessionSendPolicyRule {
  action: SessionSendPolicyDecision;
  /** Every condition that is given must hold; a rule without conditions always does. */
  match?: {
    channel?: string;
    /** `direct` or `dm`, `group`, `channel`. */
    chatType?: string;
    /** Beginning of the key, with or without the agent in front. */
    keyPrefix?: string;
    /** Beginning of the whole key only. */
    rawKeyPrefix?: string;
  };
}

export interface SessionSendPolicyConfig {
  default?: SessionSendPolicyDecision;
  rules?: SessionSendPolicyRule[];
}

/** The `session` part of the configuration, in OpenClaw's spelling. */
export interface SessionConfig {
  scope?: SessionScope;
  dmScope?: DmScope;
  identityLinks?: IdentityLinks;
  mainKey?: string;
  store?: string;
  reset?: SessionResetConfig;
  resetByType?: {
    direct?: SessionResetConfig;
    /** Older spelling of `direct`. */
    dm?: SessionResetConfig;
    group?: SessionResetConfig;
    thread?: SessionResetConfig;
  };
  /** By channel name. Replaces `reset` and `resetByType` there, it does not add to them. */
  resetByChannel?: Record<string, SessionResetConfig>;
  resetTriggers?: string[];
  /** Older spelling of `reset: { mode: 'idle', idleMinutes }`. */
  idleMinutes?: number;
  sendPolicy?: SessionSendPolicyConfig;
}
