import type { IdentityLinks } from '../key/identity-links.ts';
import type { DmScope } from '../key/parsed-key.ts';
import type { SessionScope } from '../key/resolve.ts';

/** `manual` sessions end only when somebody asks for it. */
export type SessionResetMode = 'daily' | 'idle' | 'manual';

/** One place where a reset can be configured; what it leaves open comes from the next wider place. */
export type SessionResetConfig = {
  mode?: SessionResetMode | undefined;
  /** Hour of the daily reset in local time, 0–23. */
  atHour?: number | undefined;
  idleMinutes?: number | undefined;
};

export type SessionSendPolicyDecision = 'allow' | 'deny';

export type SessionSendPolicyRule = {
  action: SessionSendPolicyDecision;
  /** Every condition that is given must hold; a rule without conditions always does. */
  match?:
    | {
        channel?: string | undefined;
        /** `direct` or `dm`, `group`, `channel`. */
        chatType?: string | undefined;
        /** Beginning of the key, with or without the agent in front. */
        keyPrefix?: string | undefined;
        /** Beginning of the whole key only. */
        rawKeyPrefix?: string | undefined;
      }
    | undefined;
};

export type SessionSendPolicyConfig = {
  default?: SessionSendPolicyDecision | undefined;
  rules?: SessionSendPolicyRule[] | undefined;
};

/** The `session` part of the configuration, in OpenClaw's spelling. */
export type SessionConfig = {
  scope?: SessionScope | undefined;
  dmScope?: DmScope | undefined;
  identityLinks?: IdentityLinks | undefined;
  mainKey?: string | undefined;
  store?: string | undefined;
  reset?: SessionResetConfig | undefined;
  resetByType?:
    | {
        direct?: SessionResetConfig | undefined;
        /** Older spelling of `direct`. */
        dm?: SessionResetConfig | undefined;
        group?: SessionResetConfig | undefined;
        thread?: SessionResetConfig | undefined;
      }
    | undefined;
  /** By channel name. Replaces `reset` and `resetByType` there, it does not add to them. */
  resetByChannel?: Record<string, SessionResetConfig> | undefined;
  resetTriggers?: string[] | undefined;
  /** Older spelling of `reset: { mode: 'idle', idleMinutes }`. */
  idleMinutes?: number | undefined;
  sendPolicy?: SessionSendPolicyConfig | undefined;
};
