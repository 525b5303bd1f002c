/** How direct messages are divided into sessions: all in one, or by person, channel and account. */
export type DmScope = 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer';

/** `dm` is written; `direct` is met in stores of newer OpenClaw; `bare` is a key that is only a peer's id. */
export type DirectSpelling = 'dm' | 'direct' | 'bare';

export type ThreadMarker = 'thread' | 'topic';

interface MainKey {
  kind: 'main';
  agentId: string;
  mainKey: string;
}

interface DirectKey {
  kind: 'direct';
  agentId: string;
  scope: Exclude<DmScope, 'main'>;
  spelling: DirectSpelling;
  /** Present unless the scope is per-peer. */
  channel?: string;
  /** Present when the scope is per-account-channel-peer. */
  accountId?: string;
  peerId: string;
}

interface GroupKey {
  kind: 'group' | 'channel';
  agentId: string;
  channel: string;
  /** Read where it is met; groups are built without it. */
  accountId?: string;
  peerId: string;
}

export interface ThreadKey {
  kind: 'thread';
  agentId: string;
  marker: ThreadMarker;
  threadId: string;
  parentKey: string;
  parent: ParsedAgentKey;
}

interface SubagentKey {
  kind: 'subagent';
  agentId: string;
  name: string;
}
interface CronKey {
  kind: 'cron';
  agentId: string;
  jobId: string;
  runId?: string;
}
interface HookKey {
  kind: 'hook';
  agentId: string;
  hookId: string;
}
interface CloneKey {
  kind: 'clone';
  agentId: string;
  cloneId: string;
}

/** An agent's key of no form that we know, kept whole. */
interface OtherKey {
  kind: 'other';
  agentId: string;
  rest: string;
}

export type ParsedAgentKey =
  | MainKey
  | DirectKey
  | GroupKey
  | ThreadKey
  | SubagentKey
  | CronKey
  | HookKey
  | CloneKey
  | OtherKey;

/** Keys that belong to no agent: one session for all senders, and one for senders that cannot be distinguished. */
type SharedKey = { kind: 'global' } | { kind: 'unknown' };

export type ParsedSessionKey = ParsedAgentKey | SharedKey;
