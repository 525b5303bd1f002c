import type { LockOptions } from '../../disk/lock.ts';
import { type GroupKeyResolution, isGroupMessage, resolveGroupSessionKey } from '../../key/group.ts';
import { parseAgentSessionKey } from '../../key/parse.ts';
import type { NormalizeId } from '../../key/person-entry.ts';
import { canonicalizeMainSessionAlias, resolveSessionKey, type SessionScope } from '../../key/resolve.ts';
import { parseThreadSessionSuffix } from '../../key/thread.ts';
import { type LayoutOptions, resolveStorePath } from '../../layout/paths.ts';
import { resolveAgentFolderName } from '../../layout/safe-id.ts';
import type { MsgContext } from '../../message/msg-context.ts';
import { isAuthorizedSender } from '../../policy/authorized-sender.ts';
import {
  resolveSessionResetPolicy,
  resolveSessionResetType,
  resolveThreadFlag,
  type SessionResetPolicy,
} from '../../policy/reset-policy.ts';
import { matchResetTrigger } from '../../policy/reset-trigger.ts';
import type { SessionConfig } from '../../policy/session-config.ts';
import type { SessionStore } from '../../store/contract.ts';
import { type AgentSessions, mismatch, openAgentSessions, readOwnKey } from '../agent-sessions.ts';
import { type Clock, type ClockParams, readClock } from '../clock.ts';
import { readMessageChannel } from '../entry-updates/inbound-meta.ts';
import { assertMessage } from './assert-message.ts';
import { readCommandText, stripOwnMention } from './command-text.ts';
import { type Links, readSenderKey } from './separate-senders.ts';

/** The parts of the configuration that the lifecycle reads, in OpenClaw's spelling. */
export interface LifecycleConfig {
  session?: SessionConfig;
  /** By channel: who may give commands. */
  channels?: Record<string, { allowFrom?: readonly (string | number)[] } | undefined>;
}

export type InitSessionStateParams = ClockParams &
  LayoutOptions & {
    ctx: MsgContext;
    cfg: LifecycleConfig;
    /** The agent of the message. Its SessionKey tells it too; both must agree. `main`. */
    agentId?: string;
    /** Instead of the configured one. */
    storePath?: string;
    store?: SessionStore;
    /** The adapter's word on the sender, where it is not in `ctx.CommandAuthorized`. */
    commandAuthorized?: boolean;
    /** Instead of the channel's configured list. */
    allowFrom?: readonly (string | number)[];
    /** Of the channel, for `allowFrom` and the ids of identity links: the spellings that its network takes for one person. */
    normalizeId?: NormalizeId;
    /** IANA name; the zone of the machine when absent. */
    timeZone?: string;
    /** For the transcript that a reset archives. Waits for 2 s; what is in use for longer is archived by a later call. */
    lock?: LockOptions;
    /**
     * Where it is given, a session that goes on is returned before the time and the route of this message are on disk:
     * the store has the session already. Gets the promise of that write, which the caller must await.
     */
    onWriting?: (written: Promise<unknown>) => void;
    /** Hears why a transcript could not be archived yet. A process warning when absent. */
    onArchiveFailure?: (error: Error) => void;
    /** Hears why a thread begins without its parent's conversation. A process warning when absent. */
    onForkFailure?: (error: Error) => void;
  };

/** What a message asks for, before the store is looked at. */
export interface InitRequest {
  ctx: MsgContext;
  clock: Clock;
  agent: AgentSessions;
  sessionKey: string;
  sessionScope: SessionScope;
  groupResolution: GroupKeyResolution | undefined;
  isGroup: boolean;
  isThread: boolean;
  /** Heartbeats and their like: they use a session, but neither end it nor say where it answers. */
  isSystemEvent: boolean;
  topicId: string | number | undefined;
  parentSessionKey: string | undefined;
  triggerBodyNormalized: string;
  resetTriggered: boolean;
  bodyStripped: string | undefined;
  policy: SessionResetPolicy;
  timeZone: string | undefined;
  links: Links;
}

const SYSTEM_PROVIDERS: ReadonlySet<string> = new Set(['heartbeat', 'cron-event', 'exec-event']);

export function readInitRequest(params: InitSessionStateParams): InitRequest {
  const { cfg } = params;
  assertMessage(params.ctx);
  const ctx = retarget(params.ctx);
  const agent = openInitSessions(params, ctx);
  const sessionScope = cfg.session?.scope === 'global' ? 'global' : 'per-sender';
  const mainKey = cfg.session?.mainKey;
  const agentId = agent.agentId ?? resolveAgentFolderName(undefined);
  const readKey = (key: string) =>
    readOwnKey(
      agent,
      canonicalizeMainSessionAlias({ agentId, sessionKey: key, mainKey, scope: sessionScope }),
    );
  const groupResolution = resolveGroupSessionKey(ctx) ?? undefined;
  const isGroup = groupResolution !== undefined || isGroupMessage(ctx);
  const isSystemEvent = SYSTEM_PROVIDERS.has(ctx.Provider?.trim().toLowerCase() ?? '');
  const links = { identityLinks: cfg.session?.identityLinks, normalizeId: params.normalizeId };
  const routed = readKey(resolveSessionKey(sessionScope, ctx, mainKey, agentId));
  const sessionKey = readSenderKey({ sessionKey: routed, ctx, isSystemEvent, links });
  const parentSessionKey = ctx.ParentSessionKey?.trim() ? readKey(ctx.ParentSessionKey) : undefined;
  const isThread = resolveThreadFlag({
    sessionKey,
    messageThreadId: ctx.MessageThreadId,
    threadLabel: ctx.ThreadLabel,
    threadStarterBody: ctx.ThreadStarterBody,
    parentSessionKey,
  });
  const channel = groupResolution?.channel ?? readMessageChannel(ctx);
  return {
    ctx,
    clock: readClock(params),
    agent,
    sessionKey,
    sessionScope,
    groupResolution,
    isGroup,
    isThread,
    isSystemEvent,
    topicId: readTopicId(ctx, sessionKey),
    parentSessionKey: parentSessionKey === sessionKey ? undefined : parentSessionKey,
    ...readReset(params, ctx, channel, isGroup, isSystemEvent),
    policy: resolveSessionResetPolicy({
      sessionCfg: cfg.session,
      resetType: resolveSessionResetType({ sessionKey, isGroup, isThread }),
      channel,
    }),
    timeZone: params.timeZone,
    links,
  };
}

/** A native command arrives in a session of its own but is about the conversation that it was given in. */
function retarget(ctx: MsgContext): MsgContext {
  const target = ctx.CommandSource === 'native' ? ctx.CommandTargetSessionKey?.trim() : undefined;
  return target ? { ...ctx, SessionKey: target } : ctx;
}

function openInitSessions(params: InitSessionStateParams, ctx: MsgContext): AgentSessions {
  const named = params.agentId ?? parseAgentSessionKey(ctx.SessionKey)?.agentId ?? ctx.AgentId;
  const agentId = resolveAgentFolderName(named);
  const { cfg, stateDir, env } = params;
  const storePath = params.storePath ?? resolveStorePath(cfg.session?.store, { agentId, stateDir, env });
  if (ctx.AgentId?.trim() && resolveAgentFolderName(ctx.AgentId) !== agentId) {
    throw mismatch(ctx.AgentId, agentId, storePath);
  }
  // A store path given without an agent says itself whose it is.
  const isNamed = params.storePath === undefined || (named !== undefined && named.trim() !== '');
  const mainKey = cfg.session?.mainKey;
  return openAgentSessions({
    storePath,
    store: params.store,
    agentId: isNamed ? agentId : undefined,
    mainKey,
  });
}

function readTopicId(ctx: MsgContext, sessionKey: string): string | number | undefined {
  const { MessageThreadId: given } = ctx;
  if (typeof given === 'number') return given;
  return given?.trim() || parseThreadSessionSuffix(sessionKey).threadId;
}

function readReset(
  params: InitSessionStateParams,
  ctx: MsgContext,
  channel: string | undefined,
  isGroup: boolean,
  isSystemEvent: boolean,
): Pick<InitRequest, 'triggerBodyNormalized' | 'resetTriggered' | 'bodyStripped'> {
  const triggerBodyNormalized = readCommandText(ctx);
  const body = isGroup ? stripOwnMention(triggerBodyNormalized, ctx.BotUsername) : triggerBodyNormalized;
  const CommandAuthorized = params.commandAuthorized ?? ctx.CommandAuthorized;
  const allowFrom = params.allowFrom ?? readAllowFrom(params.cfg, channel);
  const sender = { ctx: { ...ctx, CommandAuthorized }, normalizeId: params.normalizeId };
  const match = matchResetTrigger({
    body,
    triggers: params.cfg.session?.resetTriggers,
    authorized: !isSystemEvent && isAuthorizedSender({ ...sender, allowFrom }),
    botUsername: ctx.BotUsername,
  });
  return { triggerBodyNormalized, resetTriggered: match !== null, bodyStripped: match?.bodyStripped };
}

function readAllowFrom(
  cfg: LifecycleConfig,
  channel: string | undefined,
): readonly (string | number)[] | undefined {
  const named = Object.entries(cfg.channels ?? {}).find(([name]) => name.trim().toLowerCase() === channel);
  return named?.[1]?.allowFrom;
}
